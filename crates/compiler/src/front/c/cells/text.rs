//! The functions of a cell as C, and their calls.

use super::body::{Body, Target, Whole};
use crate::csource::{self, Edit};
use hexcc_pet::data::{Cell, Unsized};
use std::fmt::Write;
use std::ops::Range;

impl Body<'_> {
    /// The functions, one for each element that is written.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let several = self.targets.len() > 1;
        let unsized_arrays: Vec<Unsized> = (self.wholes.iter())
            .filter(|(_, whole)| whole.is_pointer)
            .map(|(name, _)| Unsized {
                array: name.clone(),
                size: format!("hexcc_elements_{name}"),
                written: self.targets.iter().map(|t| t.array.clone()).collect(),
            })
            .collect();
        let named = |target: &Target| match several {
            true => format!("{}_{}", self.name, target.array),
            false => self.name.clone(),
        };
        (self.targets.iter().enumerate())
            .map(|(index, target)| {
                let mut functions: Vec<String> = match index {
                    0 => self.callees.iter().map(|c| self.callee_text(c)).collect(),
                    _ => Vec::new(),
                };
                let params = self.params(index);
                functions.push(self.text((index, target), &named(target), &params));
                Cell {
                    name: named(target),
                    result: target.elem.to_string(),
                    params,
                    functions,
                    keeps: !target.assigned && !target.certain,
                    calls: self.math.iter().cloned().collect(),
                    unsized_arrays: unsized_arrays.clone(),
                }
            })
            .collect()
    }

    /// Declarations of the parameters: numbers, arrays, the old value.
    fn params(&self, index: usize) -> Vec<String> {
        let numbers = self.numbers.iter().map(|(name, ty)| format!("{ty} {name}"));
        let wholes = (self.wholes.iter())
            .map(|(name, whole)| format!("const {} *{}", whole.elem, data_name(name, whole)));
        let olds = self
            .olds(index)
            .into_iter()
            .map(|t| format!("{} {}", t.elem, old_name(&t.array)));
        numbers.chain(wholes).chain(olds).collect()
    }

    /// What assigns an element what its function computes.
    pub(super) fn assignment(&self, index: usize, cell: &Cell) -> String {
        let names = self.numbers.keys().chain(self.wholes.keys()).cloned();
        let olds = self.olds(index).into_iter().map(|t| t.element.clone());
        let sizes = cell.unsized_arrays.iter().map(|u| u.size.clone());
        let args: Vec<String> = names.chain(olds).chain(sizes).collect();
        format!(
            "{} = {}({});",
            self.targets[index].element,
            cell.name,
            args.join(", ")
        )
    }

    /// What pet is told of a function.
    pub(super) fn declaration(&self, index: usize, cell: &Cell) -> String {
        let numbers = self.numbers.values().map(ToString::to_string);
        let wholes = self.wholes.iter().map(|_| String::from("const void *"));
        let olds = self.olds(index).into_iter().map(|t| t.elem.to_string());
        let sizes = cell.unsized_arrays.iter().map(|_| String::from("long"));
        let params: Vec<String> = numbers.chain(wholes).chain(olds).chain(sizes).collect();
        let params = match params.is_empty() {
            true => String::from("void"),
            false => params.join(", "),
        };
        let mut text = format!("{} {}({params});\n", cell.result, cell.name);
        for array in &cell.unsized_arrays {
            let _ = writeln!(text, "extern long {};", array.size);
        }
        text
    }

    /// A function as C.
    fn text(&self, (index, target): (usize, &Target), name: &str, params: &[String]) -> String {
        let code = self.code;
        let mut text = format!("{} {name}({})\n{{\n", target.elem, params.join(", "));
        for (name, whole) in &self.wholes {
            text.push_str(&cast_line(name, whole));
        }
        for (name, ty) in &self.own {
            let _ = writeln!(text, "  {ty} {name};");
        }
        for (name, (ty, bounds)) in &self.own_arrays {
            let _ = writeln!(text, "  {ty} {name}{bounds};");
        }
        for (i, other) in self.targets.iter().enumerate() {
            let has_old = !other.assigned && (other.read || i == index);
            let value = if has_old {
                format!(" = {}", old_name(&other.array))
            } else {
                String::new()
            };
            let _ = writeln!(text, "  {} {}{value};", other.elem, new_name(&other.array));
        }
        // Compilers would warn of what is assigned only.
        let others = (self.targets.iter().enumerate()).filter(|(i, _)| *i != index);
        let others = others.map(|(_, other)| new_name(&other.array));
        let unread = self.own.keys().filter(|name| self.is_unread(name)).cloned();
        for name in others.chain(unread) {
            let _ = writeln!(text, "  (void)&{name};");
        }
        let bytes = code.bytes(self.tokens.clone());
        let mut edits: Vec<Edit> = Vec::new();
        let mut edit = |range: Range<usize>, replacement: String| {
            let range = code.bytes(range);
            edits.push(Edit {
                range: range.start - bytes.start..range.end - bytes.start,
                replacement,
            });
        };
        for other in &self.targets {
            for used in &other.uses {
                edit(used.clone(), new_name(&other.array));
            }
        }
        for at in self.ends() {
            edit(at..at + 1, format!("return {}", new_name(&target.array)));
        }
        for (range, replacement) in self.call_edits(self.tokens.clone()) {
            edit(range, replacement);
        }
        // Subscripts of elements are gone with them.
        edits.sort_by_key(|e| (e.range.start, std::cmp::Reverse(e.range.end)));
        let mut end = 0;
        edits.retain(|e| {
            let keep = e.range.start >= end;
            end = end.max(e.range.end);
            keep
        });
        let body = csource::apply_edits(&code.text[bytes.clone()], edits).unwrap_or_default();
        let indent = code.text[..bytes.start]
            .rfind('\n')
            .map_or("", |at| &code.text[at + 1..bytes.start]);
        let indent = if indent.trim().is_empty() { indent } else { "" };
        for line in format!("{indent}{body}").lines() {
            let line = line.strip_prefix(indent).unwrap_or(line);
            let _ = writeln!(text, "  {}", line.trim_end());
        }
        let _ = write!(text, "  return {};\n}}\n", new_name(&target.array));
        text
    }
}

/// The parameter with the value of an element before.
fn old_name(array: &str) -> String {
    format!("hexcc_old_{array}")
}

/// The variable for an element of an array.
fn new_name(array: &str) -> String {
    format!("hexcc_{array}")
}

/// The name of the parameter for an array.
pub(super) fn data_name(name: &str, whole: &Whole) -> String {
    match whole.bounds.is_empty() {
        true => name.to_string(),
        false => format!("hexcc_{name}_data"),
    }
}

/// The array with its rows.
fn cast_line(name: &str, whole: &Whole) -> String {
    let (elem, bounds) = (whole.elem, &whole.bounds);
    match bounds.is_empty() {
        true => String::new(),
        false => format!(
            "  const {elem} (*{name}){bounds} = (const {elem} (*){bounds}){};\n",
            data_name(name, whole)
        ),
    }
}
