//! Injection processes: constant probability, or bursts of a node.

use super::configuration::Configuration;
use super::toml::Entries;
use super::value::Call;

/// The key of injection processes.
const KEY: &str = "injection_process";

/// Parameters of bursts with the keys that replace arguments which are left out.
const PARAMETERS: [&str; 3] = ["burst_alpha", "burst_beta", "burst_r1"];

/// Probabilities of a process that is on or off.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OnOff {
    /// Probability that it changes from off to on.
    alpha: f64,
    /// Probability that it changes from on to off.
    beta: f64,
    /// Probability of a packet while it is on.
    on_rate: f64,
}

impl OnOff {
    /// The process with its negative parameter derived from `rate` packets a cycle, or `None` unless exactly one is negative.
    fn derived(self, rate: f64) -> Option<Self> {
        let Self { alpha, beta, on_rate } = self;
        match [alpha, beta, on_rate].map(|parameter| parameter < 0.0) {
            [true, false, false] => Some(Self { alpha: beta * rate / (on_rate - rate), ..self }),
            [false, true, false] => Some(Self { beta: alpha * (on_rate - rate) / rate, ..self }),
            [false, false, true] => Some(Self { on_rate: rate * (alpha + beta) / alpha, ..self }),
            _ => None,
        }
    }

    fn is_possible(self) -> bool {
        let is_probability = |value: f64| value > 0.0 && value <= 1.0;
        [self.alpha, self.beta, self.on_rate].into_iter().all(is_probability)
    }
}

/// The keys of the process `text` with `rate` packets per node and cycle. Errors are reported.
pub(super) fn read(configuration: &Configuration, text: &str, rate: f64) -> Entries {
    let mut keys = Entries::default();
    let call = Call::parse(text);
    match call.name {
        "bernoulli" => {}
        "on_off" => write_bursts(configuration, &call, rate, &mut keys),
        name => configuration.refuse(
            KEY,
            &format!("BookSim 2 has no process `{name}`"),
            "bernoulli, on_off({alpha,beta,r1})",
        ),
    }
    keys
}

fn write_bursts(configuration: &Configuration, call: &Call<'_>, rate: f64, keys: &mut Entries) {
    let Some(process) = parameters(configuration, call) else { return };
    note_arguments(configuration, call);
    let Some(derived) = process.derived(rate) else {
        let reason = "one of alpha, beta and r1 must be negative: it follows from the rate";
        configuration.refuse(KEY, reason, "on_off({0.5,0.5,-1})");
        return;
    };
    if !derived.is_possible() {
        let OnOff { alpha, beta, on_rate } = derived;
        let reason = format!(
            "a rate of {rate} packets a cycle requires alpha = {alpha:.4}, beta = {beta:.4}, r1 = {on_rate:.4}"
        );
        configuration.refuse(KEY, &reason, "parameters for which these are above 0 and at most 1");
        return;
    }
    keys.insert("injection", "on-off");
    keys.insert("alpha", derived.alpha);
    keys.insert("beta", derived.beta);
}

/// The arguments, or the values of the keys that replace them.
fn parameters(configuration: &Configuration, call: &Call<'_>) -> Option<OnOff> {
    let mut values = PARAMETERS.map(|key| configuration.decimal(key));
    for (value, argument) in values.iter_mut().zip(&call.arguments) {
        let first = argument.split(',').next().unwrap_or_default();
        let Some(number) = first.parse().ok().filter(|number: &f64| number.is_finite()) else {
            configuration.refuse(KEY, "its arguments are numbers", "on_off({alpha,beta,r1})");
            return None;
        };
        *value = number;
    }
    if call.arguments.len() > PARAMETERS.len() {
        configuration.refuse(KEY, "initial states of nodes are not supported", "on_off({alpha,beta,r1})");
        return None;
    }
    let [alpha, beta, on_rate] = values;
    Some(OnOff { alpha, beta, on_rate })
}

/// Adds a note if BookSim 2 does not read all arguments.
fn note_arguments(configuration: &Configuration, call: &Call<'_>) {
    if call.is_misread() {
        let count = call.arguments.len();
        let read: Vec<&str> =
            call.arguments.iter().map(|argument| argument.split(',').next().unwrap_or_default()).collect();
        let sentence = format!(
            "is read as alpha = {}; {} counts for the others; all arguments are one vector: {}",
            read.join(", beta = "),
            PARAMETERS[count.min(2)..].join(", "),
            call.in_one_vector()
        );
        configuration.note(KEY, &sentence);
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails where it cannot continue")]
mod tests {
    use super::*;

    #[test]
    fn the_negative_parameter_follows_from_the_rate() {
        let process = OnOff { alpha: 0.1, beta: 0.3, on_rate: -1.0 };
        assert!((process.derived(0.1).unwrap().on_rate - 0.4).abs() < 1e-12);
        let process = OnOff { alpha: -1.0, beta: 0.3, on_rate: 0.4 };
        assert!((process.derived(0.1).unwrap().alpha - 0.1).abs() < 1e-12);
        let process = OnOff { alpha: 0.1, beta: -1.0, on_rate: 0.4 };
        assert!((process.derived(0.1).unwrap().beta - 0.3).abs() < 1e-12);
        assert_eq!(OnOff { alpha: 0.1, beta: 0.3, on_rate: 0.4 }.derived(0.1), None);
        assert!(!OnOff { alpha: 0.1, beta: 0.9, on_rate: -1.0 }.derived(0.2).unwrap().is_possible());
    }
}
