//! `flitwise list energy`: energy presets and named links with their constants and sources.

use flitwise::costs::energy::{
    ChannelConstants, DesignPoint, ENERGY_PRESETS, EnergyKeys, EnergyModel, EnergyPreset, Micrometres, NAMED_LINKS,
    Ports, PresetError, RouterConstants, area_text, energy_text,
};
use flitwise::output::wrapped;
use serde_json::{Map, Value, json};

/// The widest text, whatever the terminal.
const WIDTH: u16 = 80;

/// Ports of the listed routers: four neighbours and a node.
const PORTS: Ports = Ports { inputs: 5, outputs: 5 };

/// Names of constants, as those of keys, and their values.
type Constants = Vec<(&'static str, String)>;

/// Returns all presets and named links as text for a terminal of this width.
///
/// # Errors
/// Returns an error if a preset has no constants at one of its examples.
pub(super) fn text(width: Option<u16>) -> Result<String, PresetError> {
    let width = usize::from(width.unwrap_or(WIDTH).min(WIDTH));
    let presets: Result<String, PresetError> = ENERGY_PRESETS.iter().map(|preset| preset_text(preset, width)).collect();
    let links: String = NAMED_LINKS
        .iter()
        .flat_map(|link| {
            [format!("  {:<14} {:<14} {}\n", link.name, link.value, link.title), below(link.source, width)]
        })
        .collect();
    let keys = "[energy] link, injection, ejection; [links.CLASS] energy";
    Ok(format!("Energy presets (energy.preset):\n{}Named links ({keys}):\n{links}", presets?))
}

fn preset_text(preset: &EnergyPreset, width: usize) -> Result<String, PresetError> {
    let mut text = format!("  {:<11} {}\n{}", preset.name, preset.title, below(preset.source, width));
    if !preset.fixed_point.is_empty() {
        text += &below(&format!("fixed: {}", preset.fixed_point), width);
    }
    for example in preset.examples {
        let listed = Listed::new(preset, *example)?;
        if listed.router.is_empty() {
            continue;
        }
        text += &below(&format!("{}: {}", point_text(example), constants_text(&listed.router)), width);
    }
    // links are proportional to the bits of a flit, except for the clock of a wire
    let Some(example) = preset.examples.last() else { return Ok(text) };
    for (length, link) in Listed::new(preset, *example)?.links {
        text += &below(&format!("link of {length}, {} bits: {}", example.flit_bits, constants_text(&link)), width);
    }
    Ok(text)
}

/// Wraps a text below a name.
fn below(text: &str, width: usize) -> String {
    wrapped(text, "      ", "        ", width)
}

fn point_text(point: &DesignPoint) -> String {
    let plural = if point.virtual_channels == 1 { "" } else { "s" };
    format!("{} bits, {} VC{plural} of {} flits", point.flit_bits, point.virtual_channels, point.buffer)
}

fn constants_text(constants: &Constants) -> String {
    constants.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}

/// Returns all presets and named links as JSON.
///
/// # Errors
/// Returns an error if a preset has no constants at one of its examples.
pub(super) fn json() -> Result<Vec<(String, Value)>, PresetError> {
    let presets: Result<Value, PresetError> = ENERGY_PRESETS.iter().map(preset_json).collect();
    let links: Value = NAMED_LINKS
        .iter()
        .map(|link| json!({ "name": link.name, "value": link.value, "summary": link.title, "source": link.source }))
        .collect();
    Ok(vec![("energy_presets".to_owned(), presets?), ("named_links".to_owned(), links)])
}

fn preset_json(preset: &EnergyPreset) -> Result<Value, PresetError> {
    let example = |example: &DesignPoint| {
        let listed = Listed::new(preset, *example)?;
        let links = listed.links.iter().map(|(length, link)| {
            let mut link = object(link);
            link.insert("length".to_owned(), length.to_string().into());
            Value::from(link)
        });
        let mut router = object(&listed.router);
        router.insert("flit_bits".to_owned(), example.flit_bits.into());
        router.insert("virtual_channels".to_owned(), example.virtual_channels.into());
        router.insert("buffer".to_owned(), example.buffer.into());
        router.insert("links".to_owned(), links.collect());
        Ok(Value::from(router))
    };
    let examples: Result<Value, PresetError> = preset.examples.iter().map(example).collect();
    Ok(json!({
        "name": preset.name,
        "summary": preset.title,
        "source": preset.source,
        "fixed_point": preset.fixed_point,
        "constants": examples?,
    }))
}

fn object(constants: &Constants) -> Map<String, Value> {
    constants.iter().map(|(name, value)| ((*name).to_owned(), value.as_str().into())).collect()
}

/// The constants of a preset at one design point.
struct Listed {
    router: Constants,
    links: Vec<(Micrometres, Constants)>,
}

impl Listed {
    fn new(preset: &EnergyPreset, point: DesignPoint) -> Result<Self, PresetError> {
        let router = EnergyModel::new(Some(preset), point, EnergyKeys::default())?.router(PORTS);
        let link = |length: &Micrometres| {
            let point = DesignPoint { link_length: *length, node_link_length: *length, ..point };
            let model = EnergyModel::new(Some(preset), point, EnergyKeys::default())?;
            let [link, injection, ejection] = [model.link(None, None)?, model.injection()?, model.ejection()?];
            Ok((*length, channel_constants(link, injection, ejection)))
        };
        let links: Result<Vec<_>, PresetError> = preset.lengths.iter().map(link).collect();
        Ok(Self { router: router_constants(&router), links: links? })
    }
}

fn router_constants(router: &RouterConstants) -> Constants {
    let corners = [0, PORTS.inputs - 1].map(|port| energy_text(router.crossbar.attojoules(port, port)));
    let [near, far] = corners;
    let crossbar = if near == far { near } else { format!("{near} to {far}") };
    let area = router.area.map_or_else(|| "0".to_owned(), |area| format!("{} mm2", area_text(area)));
    let constants = vec![
        ("buffer_write", energy_text(router.buffer_write)),
        ("buffer_read", energy_text(router.buffer_read)),
        ("crossbar", crossbar),
        ("arbitrate", energy_text(router.arbitrate)),
        ("route", energy_text(router.route)),
        ("clock", energy_text(router.clock)),
        ("static", router.static_power.text()),
        ("area", area),
    ];
    without_zeros(constants)
}

fn channel_constants(link: ChannelConstants, injection: ChannelConstants, ejection: ChannelConstants) -> Constants {
    let area = if link.area == 0 { "0".to_owned() } else { format!("{} mm2", area_text(link.area)) };
    let constants = vec![
        ("link", energy_text(link.flit)),
        ("injection", energy_text(injection.flit)),
        ("ejection", energy_text(ejection.flit)),
        ("link_clock", energy_text(link.clock)),
        ("node_link_clock", energy_text(ejection.clock)),
        ("link_static", link.static_power.text()),
        ("node_link_static", ejection.static_power.text()),
        ("area", area),
    ];
    without_zeros(constants)
}

fn without_zeros(constants: Constants) -> Constants {
    constants.into_iter().filter(|(_, value)| value != "0").collect()
}
