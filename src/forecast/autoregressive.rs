//! Linear prediction from the last values.

use super::Forecaster;
use super::window::{Recent, mean};

/// The share of the variance that must be left unexplained for another coefficient to be worth its rounding errors.
const LEFT: f64 = 1e-12;

/// Forecasts a weighted sum of the last values whose weights are fitted to the window.
///
/// *Problem.* What comes next, of a quantity that swings or is correlated with its past.
///
/// *Idea.* An autoregressive process of order `p`: the deviation from the mean is a sum of the `p` deviations before
/// it with weights that solve the Yule-Walker equations of the window's autocovariances
/// `c_k = sum (v_i - m) (v_{i-k} - m) / W`, solved by the recursion of Levinson and Durbin. Divided by `W`, not
/// `W - k`, they make a process that is stable. While there are fewer than `3 p` values, or they are all equal, it is
/// their mean.
///
/// *Cost.* O(1) per value, O(p W) per forecast.
///
/// *Source.* Our definition, order 8 on the last 100, after no more than the name `AR` among the nine methods of Wolski
/// 1998; J. Durbin, The fitting of time-series models, Review of the International Statistical Institute 28, 1960.
///
/// ```
/// use flitwise::forecast::{Autoregressive, Forecaster};
/// let mut fitted = Autoregressive::new(2, 100);
/// for i in 0..100 {
///     fitted.update(if i % 2 == 0 { 1.0 } else { 3.0 });
/// }
/// assert!((fitted.forecast().unwrap() - 1.0).abs() < 0.02);
/// ```
#[derive(Clone, Debug)]
pub struct Autoregressive {
    order: usize,
    recent: Recent,
}

impl Autoregressive {
    /// Of this order, fitted to the last `window` values, or to all while there are fewer.
    pub fn new(order: usize, window: usize) -> Self {
        Self { order, recent: Recent::new(window) }
    }
}

impl Forecaster for Autoregressive {
    fn update(&mut self, value: f64) {
        self.recent.push(value);
    }

    fn forecast(&self) -> Option<f64> {
        let mean = mean(self.recent.iter())?;
        if self.recent.len() < 3 * self.order {
            return Some(mean);
        }
        let deviations: Vec<f64> = self.recent.iter().map(|value| value - mean).collect();
        let weights = levinson(&autocovariances(&deviations, self.order));
        Some(mean + weights.iter().zip(deviations.iter().rev()).map(|(weight, past)| weight * past).sum::<f64>())
    }
}

/// `c_0 .. c_order` of the deviations from a mean.
fn autocovariances(deviations: &[f64], order: usize) -> Vec<f64> {
    let products = |lag: usize| deviations.iter().zip(&deviations[lag..]).map(|(a, b)| a * b);
    let count = deviations.len() as f64;
    (0..=order).map(|lag| products(lag).sum::<f64>() / count).collect()
}

/// The weights of the last values, newest first, by order after order: each adds a weight and corrects those before it.
/// Stops at an order that explains everything.
fn levinson(autocovariances: &[f64]) -> Vec<f64> {
    let mut weights = Vec::new();
    let mut left = autocovariances[0];
    for order in 1..autocovariances.len() {
        if left <= LEFT * autocovariances[0] {
            break;
        }
        let explained: f64 = weights.iter().zip(autocovariances[1..order].iter().rev()).map(|(w, c)| w * c).sum();
        let reflection = (autocovariances[order] - explained) / left;
        let corrections: Vec<f64> = weights.iter().rev().map(|weight| reflection * weight).collect();
        weights.iter_mut().zip(corrections).for_each(|(weight, correction)| *weight -= correction);
        weights.push(reflection);
        left *= 1.0 - reflection * reflection;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `c_0 = 2`, `c_1 = 1`, `c_2 = 1`: the equations `2a + b = 1`, `a + 2b = 1` have the solution 1/3, 1/3.
    #[test]
    fn the_recursion_solves_the_equations() {
        let weights = levinson(&[2.0, 1.0, 1.0]);
        assert!(weights.iter().all(|weight| (weight - 1.0 / 3.0).abs() < 1e-15), "{weights:?}");
        assert!(levinson(&[0.0, 0.0]).is_empty() && levinson(&[1.0, 1.0, 1.0]).len() == 1);
    }
}
