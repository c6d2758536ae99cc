//! Kernels that stream, launched as the host code of a translation does.

use super::{Workbench, too_large};
use hexcc_compiler::ctype::CType;
use hexcc_compiler::kernel::stream_plan::{
    self, Action, Base, Compare, Gpu, Instance, Place, StreamRun, Word,
};
use hexcc_gpu::{Buffer, GpuError, Kernel, Packed, TensorElement};
use std::borrow::Cow;

/// What a streamed kernel needs on the GPU.
pub(crate) struct LoadedStream {
    gpu: Gpu,
    pub(crate) workspaces: Vec<Buffer>,
    /// What [`Compare`] finds.
    flag: Buffer,
    /// Per set of parameters, where buffers are the same.
    actions: Vec<Vec<Action>>,
}

impl LoadedStream {
    /// `take` gives memory of at least so many bytes.
    pub(crate) fn new(
        bench: &Workbench,
        kernels: &[Kernel],
        instances: &[Instance],
        runs: &[StreamRun],
        take: &mut dyn FnMut(u64) -> Result<Buffer, GpuError>,
    ) -> Result<LoadedStream, GpuError> {
        let resident = (kernels.iter().zip(instances))
            .map(|(kernel, k)| Ok(kernel.resident_blocks(k.threads, k.shared_bytes)?.into()))
            .collect::<Result<_, GpuError>>()?;
        let info = &bench.device.info;
        let gpu = Gpu {
            multiprocessors: info.multiprocessors.into(),
            major: info.capability.0.into(),
            resident,
        };
        let n_workspaces = runs.iter().map(|r| r.workspaces.len()).max().unwrap_or(0);
        let workspaces = (0..n_workspaces)
            .map(|w| {
                let bytes = runs.iter().filter_map(|r| r.workspaces.get(w)).max();
                take(bytes.map_or(0, |b| b.unsigned_abs()))
            })
            .collect::<Result<_, _>>()?;
        let actions = (runs.iter())
            .map(|run| run.actions(&gpu, true).ok_or_else(no_launches))
            .collect::<Result<_, _>>()?;
        Ok(LoadedStream {
            gpu,
            workspaces,
            flag: take(8)?,
            actions,
        })
    }

    /// Its memory, for others.
    pub(crate) fn into_memory(self) -> impl Iterator<Item = Buffer> {
        self.workspaces.into_iter().chain([self.flag])
    }

    /// What the host of the generated program does, the comparison included.
    pub(crate) fn actions(
        &self,
        bench: &Workbench,
        run: &StreamRun,
        set: usize,
        pointers: &[u64],
    ) -> Result<Cow<'_, [Action]>, GpuError> {
        let mut same = true;
        for compare in &run.compare {
            same &= self.buffers_agree(bench, compare, pointers)?;
        }
        match self.actions.get(set) {
            Some(actions) if same => Ok(Cow::Borrowed(actions)),
            _ => (run.actions(&self.gpu, same))
                .map(Cow::Owned)
                .ok_or_else(no_launches),
        }
    }

    /// `compare` of the generated text; waits for what it finds, too.
    fn buffers_agree(
        &self,
        bench: &Workbench,
        compare: &Compare,
        pointers: &[u64],
    ) -> Result<bool, GpuError> {
        let flag = self.flag.pointer().cast_signed();
        // SAFETY: the words to clear are those of the buffer, which lives.
        unsafe { bench.device.clear(self.flag.pointer(), 8) }?;
        let first = pointers.get(compare.array).copied().unwrap_or(0);
        let first = first.cast_signed() + compare.first;
        let [n_i, n_j, n_k] = compare.n;
        let ([lo_i, lo_j, lo_k], [hi_i, hi_j, hi_k]) = (compare.lo, compare.hi);
        let wide = compare.element_bytes == 8;
        bench.help(
            &bench.helpers()?.differ_outside[usize::from(wide)],
            &[
                first,
                first + compare.distance,
                compare.row,
                n_i,
                n_j,
                n_k,
                lo_i,
                hi_i,
                lo_j,
                hi_j,
                lo_k,
                hi_k,
                flag,
            ],
        )?;
        let found = bench.device.download(&self.flag, 8)?;
        Ok(found.iter().all(|&byte| byte == 0))
    }

    fn pointer(&self, place: &Place, pointers: &[u64]) -> u64 {
        let base = match place.base {
            Base::Array(i) => pointers.get(i).copied().unwrap_or(0),
            Base::Workspace(i) => self.workspaces.get(i).map_or(0, Buffer::pointer),
        };
        base.wrapping_add_signed(place.offset)
    }

    pub(crate) fn start(
        &self,
        bench: &Workbench,
        kernels: &[Kernel],
        run: &StreamRun,
        (pointers, args): (&[u64], &Packed),
        action: &Action,
    ) -> Result<(), GpuError> {
        let (kernel, grid, pass) = match action {
            Action::Copy { to, from, bytes } => {
                let (to, from) = (self.pointer(to, pointers), self.pointer(from, pointers));
                let bytes = usize::try_from(*bytes).map_err(|_| too_large("the sizes"))?;
                // SAFETY: both are planes of arrays or of the memory beside them, which live.
                return unsafe { bench.device.copy(to, from, bytes) };
            }
            Action::Launch { kernel, grid, pass } => (*kernel, *grid, pass),
        };
        let (Some(instance), Some(kernel)) = (run.kernels.get(kernel), kernels.get(kernel)) else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        for word in pass {
            match word {
                Word::Int(value) => append(&mut bytes, &value.to_ne_bytes()),
                Word::Long(value) => append(&mut bytes, &value.to_ne_bytes()),
                Word::Pointer(place) => {
                    let pointer = place.map_or(0, |p| self.pointer(&p, pointers));
                    append(&mut bytes, &pointer.to_ne_bytes());
                }
                Word::Map(None) => append(&mut bytes, &[0; 128]),
                Word::Map(Some(map)) => append(&mut bytes, &self.encoded(map, pointers)?),
            }
        }
        let pass = Packed::new(&bytes).ok_or_else(|| too_large("the arguments"))?;
        let launch = hexcc_gpu::Launch {
            kernel,
            grid: [grid, 1, 1],
            block: [instance.threads, 1, 1],
            shared_bytes: instance.shared_bytes,
            args: &[args, &pass],
        };
        // SAFETY: the kernel takes `Args` and `Pass` as laid out here, and its accesses are
        // proven to lie inside the arrays and the memory beside them, which live.
        unsafe { bench.device.launch(&launch) }
    }

    fn encoded(&self, map: &stream_plan::TensorMap, pointers: &[u64]) -> Result<Vec<u8>, GpuError> {
        let element = match map.elem {
            CType::Float => TensorElement::F32,
            CType::Double => TensorElement::F64,
            CType::Int(8) => TensorElement::I64,
            CType::UInt(8) => TensorElement::U64,
            CType::Int(_) => TensorElement::I32,
            CType::UInt(_) => TensorElement::U32,
        };
        let map = hexcc_gpu::TensorMap {
            element,
            pointer: self.pointer(&map.place, pointers),
            sizes: map.sizes,
            strides: map.strides,
            extent: map.extent,
        };
        map.encode()
    }
}

/// Appends a field of a structure, aligned to its size, as in C.
fn append(bytes: &mut Vec<u8>, field: &[u8]) {
    bytes.resize(bytes.len().next_multiple_of(field.len().max(1)), 0);
    bytes.extend(field);
}

fn no_launches() -> GpuError {
    GpuError::Driver {
        what: "planning the launches".to_string(),
        message: "a multiprocessor takes no block, or a number is too large".to_string(),
    }
}
