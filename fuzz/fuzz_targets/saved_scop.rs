//! Saved scops, damaged as trees of JSON: translating them ends with a text or with diagnostics.
#![no_main]

use hexcc_compiler::back::Host;
use hexcc_compiler::options::Options;
use hexcc_compiler::output;
use hexcc_compiler::pipeline;
use hexcc_compiler::scop::SavedScop;
use hexcc_fuzz::rng::Rng;
use hexcc_isl::Ctx;
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};
use serde_json::{Value, json};

/// All values of a tree, in order.
fn values<'a>(value: &'a Value, all: &mut Vec<&'a Value>) {
    all.push(value);
    match value {
        Value::Array(list) => list.iter().for_each(|v| values(v, all)),
        Value::Object(map) => map.values().for_each(|v| values(v, all)),
        _ => {}
    }
}

/// The value of that number, in the same order.
fn find<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(list) => list.iter_mut().find_map(|v| find(v, left)),
        Value::Object(map) => map.values_mut().find_map(|v| find(v, left)),
        _ => None,
    }
}

fn damage(rng: &mut Rng, tree: &mut Value) {
    let (n, other) = {
        let mut all = Vec::new();
        values(tree, &mut all);
        let at = rng.below(all.len());
        // One of the same kind is more likely to be understood.
        let alike: Vec<&Value> = (all.iter().copied())
            .filter(|v| std::mem::discriminant(*v) == std::mem::discriminant(all[at]))
            .collect();
        (at, (*rng.pick(&alike)).clone())
    };
    let Some(value) = find(tree, &mut { n }) else {
        return;
    };
    match value {
        Value::Number(number) => {
            let old = number.as_i64().unwrap_or(0);
            let new = [
                old.wrapping_add(1),
                old.wrapping_sub(1),
                0,
                -1,
                1 << 33,
                i64::MAX,
                i64::MIN,
            ];
            *value = json!(rng.pick(&new));
        }
        Value::Bool(old) => *value = json!(!*old),
        Value::String(text) if rng.chance(50) => {
            let mut bytes = text.clone().into_bytes();
            bytes.resize(bytes.len() + 8, 0);
            let (size, max) = (bytes.len() - 8, bytes.len());
            let size = fuzzer_mutate(&mut bytes, size, max);
            *value = json!(String::from_utf8_lossy(&bytes[..size]));
        }
        Value::Array(list) if !list.is_empty() && rng.chance(70) => {
            let at = rng.below(list.len());
            match rng.below(3) {
                0 => drop(list.remove(at)),
                1 => list.insert(at, list[rng.below(list.len())].clone()),
                _ => {
                    let with = rng.below(list.len());
                    list.swap(at, with);
                }
            }
        }
        _ => *value = other,
    }
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Rng::new(u64::from(seed), 0);
    let Ok(mut tree) = serde_json::from_slice::<Value>(&data[..size]) else {
        return fuzzer_mutate(data, size, max_size);
    };
    for _ in 0..1 + rng.below(3) {
        damage(&mut rng, &mut tree);
    }
    let text = tree.to_string();
    if text.len() > max_size {
        return size;
    }
    data[..text.len()].copy_from_slice(text.as_bytes());
    text.len()
});

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(saved) = std::str::from_utf8(data)
        .map_err(|e| e.to_string())
        .and_then(SavedScop::parse)
    else {
        return Corpus::Reject;
    };
    let ctx = Ctx::new().expect("memory for a context");
    let options = Options {
        isl_quota: 2_000_000,
        ..Options::default()
    };
    if let Ok(compiled) = pipeline::compile(&ctx, &saved, &options) {
        let _ = output::print_program(&saved, &compiled, "fuzz", Host::PLAIN);
        let _ = output::print_header(&saved, &compiled, "fuzz");
    }
    Corpus::Keep
});
