//! Arrays of other libraries, by DLPack: where they lie, of what type and shape they are.

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use std::ffi::c_void;

#[repr(C)]
struct DlDevice {
    kind: i32,
    id: i32,
}

#[repr(C)]
struct DlType {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// `DLTensor` of dlpack.h, with which a `DLManagedTensor` begins.
#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device: DlDevice,
    n_dims: i32,
    dtype: DlType,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
}

/// What an array is: kind of its device (2 is a GPU with CUDA), number of that, pointer, shape, type as NumPy spells it,
/// and whether its rows are dense in C's order.
type View = (i32, i32, u64, Vec<i64>, String, bool);

/// Looks at an array, and makes its library finish what a stream has to wait for.
///
/// # Errors
/// Those of `__dlpack__`, and a type error for what has none.
#[pyfunction]
pub fn view(array: &Bound<'_, PyAny>, stream: u64) -> PyResult<View> {
    let py = array.py();
    // DLPack's number of CUDA's default stream is 1.
    let number = if stream == 0 { 1 } else { stream };
    let arguments = pyo3::types::PyDict::new(py);
    arguments.set_item(intern!(py, "stream"), number)?;
    let capsule = array.call_method(intern!(py, "__dlpack__"), (), Some(&arguments))?;
    // SAFETY: the capsule is a Python object; a name that does not match gives a null pointer and an exception.
    let place = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), c"dltensor".as_ptr()) };
    if place.is_null() {
        PyErr::take(py);
        return Err(PyTypeError::new_err("`__dlpack__` gives no tensor"));
    }
    // SAFETY: a capsule of this name holds a `DLManagedTensor`, which lives as long as the capsule.
    let tensor = unsafe { &*place.cast::<DlTensor>() };
    let n_dims = usize::try_from(tensor.n_dims).unwrap_or(0);
    let numbers = |from: *const i64| {
        // SAFETY: shape and strides have a number for each dimension.
        (!from.is_null()).then(|| unsafe { std::slice::from_raw_parts(from, n_dims) }.to_vec())
    };
    let shape = numbers(tensor.shape).unwrap_or_default();
    let strides = numbers(tensor.strides);
    let kind = match (tensor.dtype.code, tensor.dtype.lanes) {
        (0, 1) => 'i',
        (1, 1) => 'u',
        (2, 1) => 'f',
        (5, 1) => 'c',
        (6, 1) => 'b',
        _ => return Err(PyBufferError::new_err("its elements are no numbers of C")),
    };
    let dtype = format!("{kind}{}", tensor.dtype.bits / 8);
    let pointer = tensor.data.addr() as u64 + tensor.byte_offset;
    let is_dense = strides.is_none_or(|strides| is_dense(&shape, &strides));
    Ok((
        tensor.device.kind,
        tensor.device.id,
        pointer,
        shape,
        dtype,
        is_dense,
    ))
}

fn is_dense(shape: &[i64], strides: &[i64]) -> bool {
    let mut expected = 1;
    shape.iter().zip(strides).rev().all(|(&n, &stride)| {
        let fits = n == 1 || stride == expected;
        expected *= n.max(1);
        fits
    }) || shape.contains(&0)
}
