//! Reports as text and as JSON.

use crate::cli::lead::Lead;
use crate::cli::output::{Facts, Paint, count, kilograms, metres, number};
use serde_json::{Map, Value, json};
use sinew::Vec3;
use sinew::figure::Figure;
use sinew::math::real;
use sinew::measure::{Better, Contact, Family, Grade, Key, Report, Subject};

type Measured<'a> = (&'a Subject, &'a Report);

/// Formats the figures as text: the judgement, what was measured, and one column of numbers, or before and after.
pub fn to_text(lead: &Lead, before: Measured, after: Option<Measured>, verbose: bool, paint: Paint) -> String {
    let mut facts = Facts::default();
    let words = if after.is_some() { ["before", "after"] } else { ["clip", ""] };
    for ((subject, report), word) in std::iter::once(before).chain(after).zip(words) {
        heading(word, subject, report, verbose, &mut facts);
    }
    if after.is_none() && lead.judgement.grade() != Grade::Good {
        facts.add("help", "sinew filter takes out sliding, sinking, floating and forces that no ground gives");
    }
    let mut text = lead.to_text(facts, verbose, paint);
    text.push_str(&table(before.1, after.map(|after| after.1), verbose, paint));
    if verbose {
        for (subject, report) in std::iter::once(before).chain(after) {
            text.push_str(&format!("\n{}", contacts(subject, report, paint)));
        }
    } else {
        let n = after.map_or(before.1, |after| after.1).contacts.len();
        let (all, n) = (Key::ALL.len(), count(n, "contact"));
        text.push_str(&paint.faint(&format!("  -v shows all {all} figures and {n}, --explain defines them\n")));
    }
    text
}

/// Adds what was measured: clip, figure, and remarks.
fn heading(word: &str, subject: &Subject, report: &Report, verbose: bool, facts: &mut Facts) {
    let (basis, figure) = (&report.basis, &subject.figure);
    let long = number(subject.clip.duration(), 2);
    let frames = count(basis.frames, "frame");
    let clip = format!("{} {frames} at {} Hz, {long} s", subject.clip.name, number(basis.rate_hz, 3));
    facts.add(word, clip.trim_start());
    let segments = count(figure.segments().len(), "segment");
    facts.add("figure", format!("{segments}, {}, {} high", kilograms(basis.mass), metres(basis.height)));
    if verbose {
        facts.add("basis", assumptions(report));
    }
    let [x, z] = basis.ground_rise;
    if [x, z] != [0.0; 2] {
        let slope = real::atan(real::hypot(x, z)).to_degrees();
        facts.add("ground", format!("not level: it rises by {}° as far as the feet show", number(slope, 2)));
    }
    if basis.treadmill != Vec3::zeros() {
        let speed = number(basis.treadmill.norm(), 2);
        facts.add("in place", format!("feet in contact slide at {speed} m/s: measured as on a treadmill"));
    }
    for remark in &subject.remarks {
        facts.add("note", remark.clone());
    }
}

/// Describes smoothing, friction and contacts that the figures rest on.
fn assumptions(report: &Report) -> String {
    let basis = &report.basis;
    let smoothed = match basis.cutoff_hz {
        Some(hz) => format!("accelerations of poses smoothed at {} Hz", number(hz, 2)),
        None => "accelerations of poses as they are, not smoothed".to_owned(),
    };
    let least = match basis.min_contact {
        0.0 => "contacts of any length".to_owned(),
        seconds => format!("contacts of {} ms or more", number(seconds * 1e3, 0)),
    };
    format!("{smoothed}; friction {}; {least}", number(basis.friction, 2))
}

/// One row per figure: the few that matter first, or all by family with their keys.
pub fn table(before: &Report, after: Option<&Report>, verbose: bool, paint: Paint) -> String {
    let keys = if verbose { Key::ALL } else { &Key::MAIN[..] };
    let mut rows: Vec<[String; 6]> = Vec::new();
    if after.is_some() {
        rows.push(["", "", "before", "after", "", ""].map(str::to_owned));
    }
    let mut reasons: Vec<(&str, String)> = Vec::new();
    for &key in keys {
        let is_distance = key.family() == Family::Tracking;
        // Joints of a body of another size are elsewhere.
        if is_distance && after.is_none_or(|after| !verbose && is_resized(before, after)) {
            continue;
        }
        let show = |report: &Report| report.get(key).map_or_else(|| "–".to_owned(), |v| value(v, verbose));
        let shown = (show(before), after.map(show).unwrap_or_default());
        // What is not seen in the numbers is not worth a word.
        let is_seen = verbose || shown.0 != shown.1;
        let verdict = after.filter(|_| is_seen).map(|after| verdict(before, after, key)).unwrap_or_default();
        let name = if verbose { key.name() } else { "" };
        rows.push([key.label().to_owned(), name.to_owned(), shown.0, shown.1, key.unit().to_owned(), verdict]);
        let noted = |report: &Report| report.note(key).map(|reason| (key.family().word(), reason.to_owned()));
        for reason in [noted(before).filter(|_| !is_distance), after.and_then(noted)].into_iter().flatten() {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    let widths: Vec<usize> = (0..6).map(|c| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        let numbers = |c: usize| format!("{:>width$}", row[c], width = widths[c]);
        let words = |c: usize| format!("{:<width$}", row[c], width = widths[c]);
        let mut line = format!("  {}", words(0));
        if verbose {
            line.push_str(&format!("  {}", paint.faint(&words(1))));
        }
        line.push_str(&format!("  {}", numbers(2)));
        if after.is_some() {
            line.push_str(&format!("  {}", numbers(3)));
        }
        line.push_str(&format!(" {}", paint.faint(&words(4))));
        if row[5] == "worse" {
            line.push_str(&format!("  {}", paint.warning(&row[5])));
        } else if !row[5].is_empty() {
            line.push_str(&format!("  {}", paint.faint(&row[5])));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    for (family, reason) in reasons {
        text.push_str(&paint.faint(&format!("  – {family}: {reason}\n")));
    }
    text
}

fn verdict(before: &Report, after: &Report, key: Key) -> String {
    let word = match (after.worse_than(before, key), before.worse_than(after, key)) {
        _ if key.better() == Better::Neither => "",
        (Some(true), _) => "worse",
        (_, Some(true)) => "better",
        (Some(false), Some(false)) => "same",
        _ => "",
    };
    word.to_owned()
}

/// Returns true if two bodies differ in height by more than a tenth.
fn is_resized(before: &Report, after: &Report) -> bool {
    !(0.9..=1.1).contains(&(after.basis.height / before.basis.height))
}

/// About four digits, or three without idle ones.
fn value(value: f64, verbose: bool) -> String {
    let decimals = match value.abs() {
        1000.0.. => 0,
        100.0.. => 1,
        1.0.. => 2,
        _ => 4,
    };
    number(value, if verbose { decimals } else { decimals.min(2) })
}

fn contacts(subject: &Subject, report: &Report, paint: Paint) -> String {
    let mut text = format!("{}\n", paint.title(&format!("contacts of {}", subject.file.display())));
    if report.contacts.is_empty() {
        text.push_str("  none\n");
    }
    for contact in &report.contacts {
        let [start, end] = seconds(contact, report).map(|s| format!("{s:.3}"));
        let slides = format!(", goes {} mm", number(1e3 * contact.path, 1));
        let frames = format!("frames {} to {}{slides}", contact.frames.start + 1, contact.frames.end);
        text.push_str(&format!("  {start:>8} to {end:>8} s  {} {}\n", point(subject, contact), paint.faint(&frames)));
    }
    text
}

/// Returns the times of the first and the last frame of a contact, seconds.
fn seconds(contact: &Contact, report: &Report) -> [f64; 2] {
    [contact.frames.start, contact.frames.end.saturating_sub(1)].map(|frame| frame as f64 / report.basis.rate_hz)
}

fn point(subject: &Subject, contact: &Contact) -> String {
    let name = &subject.figure.segment(contact.segment).name;
    match contact.part {
        Some(part) => format!("{name} {}", part.word()),
        None => name.clone(),
    }
}

/// Formats the figures as JSON: their keys with numbers or null.
pub fn to_json(before: Measured, after: Option<Measured>) -> Value {
    let clip = before.0.clip.name.clone();
    let clip = if clip.is_empty() { before.0.file.display().to_string() } else { clip };
    let file = before.0.file.display().to_string();
    match after {
        None => json!({
            "clip": clip,
            "file": file,
            "figures": figures(before),
            "notes": notes(before.1),
            "basis": basis(before),
        }),
        Some(after) => json!({
            "clip": clip,
            "file": file,
            "result": after.0.file.display().to_string(),
            "before": figures(before),
            "after": figures(after),
            "notes": { "before": notes(before.1), "after": notes(after.1) },
            "basis": { "before": basis(before), "after": basis(after) },
        }),
    }
}

fn figures((subject, report): Measured) -> Value {
    all_keys(&subject.figure, report)
}

/// Every figure of a report by its key, numbers or null.
pub fn all_keys(figure: &Figure, report: &Report) -> Value {
    let mut map = Map::new();
    for &key in Key::ALL {
        // Counts are whole numbers.
        let value =
            report.get(key).map_or(Value::Null, |v| if key == Key::Spikes { json!(v as u64) } else { json!(v) });
        map.insert(key.name().to_owned(), value);
        if key == Key::Ground {
            let contacts = report.contacts.iter().map(|contact| {
                let [start, end] = seconds(contact, report);
                let side = contact.side.map(|side| format!("{side:?}").to_lowercase());
                json!({
                    "segment": figure.segment(contact.segment).name,
                    "part": contact.part.map(|part| part.word()),
                    "side": side,
                    "start_s": start,
                    "end_s": end,
                    "frames": [contact.frames.start + 1, contact.frames.end],
                    "path_mm": 1e3 * contact.path,
                })
            });
            map.insert("contacts".to_owned(), contacts.collect());
        }
    }
    Value::Object(map)
}

/// Returns the reasons for missing figures.
pub fn notes(report: &Report) -> Value {
    report.notes().map(|(key, reason)| (key.name().to_owned(), json!(reason))).collect::<Map<_, _>>().into()
}

fn basis((subject, report): Measured) -> Value {
    let basis = &report.basis;
    json!({
        "frames": basis.frames,
        "rate_hz": basis.rate_hz,
        "cutoff_hz": basis.cutoff_hz,
        "friction": basis.friction,
        "min_contact_s": basis.min_contact,
        "mass_kg": basis.mass,
        "height_m": basis.height,
        "ground_rise": basis.ground_rise,
        "treadmill_m_s": basis.treadmill.norm(),
        "grf_peak_at_s": report.peak_force_at,
        "remarks": subject.remarks,
    })
}

/// Lines of at most this many characters, indented.
pub fn wrap(text: &str, width: usize) -> String {
    let (mut out, mut line) = (String::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            out.push_str(&format!("  {line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    out.push_str(&format!("  {line}\n"));
    out
}
