//! The reason why an engine ran the rows of a machine.

use super::Machine;
use crate::engine::Engine;

impl Machine {
    /// Explains why `ran` is the engine of a row.
    pub fn engine_reason(&self, ran: Engine) -> String {
        if let Some(routers) = &self.routers {
            return format!("the scenario requires `{}` routers", routers.model);
        }
        if ran == Engine::Router && self.engine == Engine::Auto {
            return "routers copy or combine its packets".to_owned();
        }
        if self.engine != Engine::Auto {
            return format!("`engine.kind` is \"{}\"", self.engine.name());
        }
        if let Some(clocked) = self.clocked_link() {
            return format!("{} has a clock of its own, which only the flit engine supports", clocked.channel);
        }
        if let Some(short) = self.short_buffer() {
            return format!("the buffer of {} is too short for the worm engine", short.channel);
        }
        match ran {
            _ if !self.shares_channels() => "exact here, because no link has several virtual channels",
            Engine::Worm => "exact here, because no link had two virtual channels in use at once",
            Engine::Sleep => "virtual channels of a link were in use at once, and messages are long",
            _ => "virtual channels of a link were in use at once, and messages are short or links differ",
        }
        .to_owned()
    }
}
