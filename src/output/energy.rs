//! The lines below a table about energies: the preset, and the algorithms that take least.

use super::summary::Summary;
use crate::costs::energy::EnergyPreset;
use crate::kind::ENERGY;
use crate::scenario::Scenario;

/// Returns the lines about the energies of `summaries`. Empty without a table `[energy]`.
pub(super) fn energy_notes(scenario: &Scenario, summaries: &[Summary]) -> String {
    let energies = scenario.points.iter().filter_map(|point| point.experiment.machine.energy.as_deref());
    let presets: Vec<&EnergyPreset> = energies.filter_map(|energy| energy.preset).collect();
    let mut notes = String::new();
    for (number, preset) in presets.iter().enumerate() {
        if presets[..number].iter().all(|before| before.name != preset.name) {
            notes += &preset_note(preset);
        }
    }
    notes + &least(summaries).unwrap_or_default()
}

fn preset_note(preset: &EnergyPreset) -> String {
    let point = if preset.fixed_point.is_empty() { String::new() } else { format!("; {}", preset.fixed_point) };
    format!("Energies: {}, {}{point}.\n", preset.name, preset.title)
}

/// The algorithms that take least energy, with the number of points of each, the one that does most often first. `None` where
/// nothing is compared.
fn least(summaries: &[Summary]) -> Option<String> {
    let points = summaries.chunk_by(|one, next| one.point == next.point);
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let mut compared = 0;
    for point in points {
        let energies =
            point.iter().filter_map(|summary| Some((summary.algorithm.as_str(), summary.of(ENERGY.name)?.mean)));
        let energies: Vec<(&str, f64)> = energies.collect();
        if energies.len() < 2 {
            continue;
        }
        compared += 1;
        // the first of several that take the same
        let (name, _) = energies.into_iter().min_by(|one, other| one.1.total_cmp(&other.1))?;
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words = counts.iter().map(|(name, count)| format!("{name} at {count}")).collect::<Vec<_>>().join(", ");
    match (&counts[..], compared) {
        ([], _) => None,
        ([(name, _)], 1) => Some(format!("Least energy: {name}.\n")),
        _ => Some(format!("Least energy: {words} of {compared} points.\n")),
    }
}
