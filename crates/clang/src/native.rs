//! Calls of libclang; nothing else in this crate is `unsafe`.
//!
//! Invariant: cursors, types and places borrow the unit they belong to, and a unit borrows the library,
//! so none of them outlives what libclang needs to answer. Every function in `api!` was found when
//! the library was loaded.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::hash::{Hash, Hasher};
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::{ptr, slice};

use clang_sys::*;

use crate::ClangError;
use crate::ast::Severity;

// Kinds of cursors: clang's CXCursor_FirstExpr to CXCursor_LastExpr, and so on.
const DECLARATIONS: RangeInclusive<CXCursorKind> =
    CXCursor_UnexposedDecl..=CXCursor_CXXAccessSpecifier;
const INVALID: RangeInclusive<CXCursorKind> = CXCursor_InvalidFile..=CXCursor_InvalidCode;
const EXPRESSIONS: RangeInclusive<CXCursorKind> = 100..=199;
const STATEMENTS: RangeInclusive<CXCursorKind> = 200..=299;

/// libclang, loaded.
pub struct Library {
    functions: Functions,
    /// Keeps the functions where they are.
    _library: libloading::Library,
}

macro_rules! api {
    ($($name:ident)*) => {
        /// The functions that are called; an error names one that the library lacks.
        fn functions(library: &libloading::Library) -> Result<Functions, &'static str> {
            let mut functions = Functions::default();
            $(
                // SAFETY: clang-sys declares the functions of libclang with their types.
                functions.$name = *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                    .map_err(|_| stringify!($name))?;
            )*
            Ok(functions)
        }
    };
}

api! {
    clang_createIndex clang_disposeIndex clang_parseTranslationUnit2 clang_disposeTranslationUnit
    clang_getTranslationUnitCursor clang_visitChildren clang_hashCursor clang_equalCursors
    clang_getCString clang_disposeString clang_getCursorSpelling clang_getCursorKind clang_getCursorType
    clang_getCursorReferenced clang_getCanonicalCursor clang_getCursorDefinition clang_isCursorDefinition
    clang_getCursorExtent clang_getCursorLocation clang_getRangeStart clang_getRangeEnd clang_getFileLocation
    clang_Location_isInSystemHeader clang_Cursor_getStorageClass clang_Cursor_isFunctionInlined
    clang_getCursorTLSKind clang_getCursorBinaryOperatorKind clang_getCursorUnaryOperatorKind
    clang_Cursor_Evaluate clang_EvalResult_getKind clang_EvalResult_isUnsignedInt
    clang_EvalResult_getAsLongLong clang_EvalResult_getAsUnsigned clang_EvalResult_getAsDouble
    clang_EvalResult_dispose clang_Cursor_getVarDeclInitializer clang_Cursor_isBitField
    clang_getFieldDeclBitWidth clang_Cursor_getOffsetOfField clang_getEnumConstantDeclValue
    clang_getEnumConstantDeclUnsignedValue clang_getEnumDeclIntegerType clang_Cursor_isAnonymous
    clang_Cursor_isAnonymousRecordDecl clang_Cursor_getNumArguments clang_Cursor_getArgument
    clang_getTypedefDeclUnderlyingType clang_getCanonicalType clang_isConstQualifiedType clang_isVolatileQualifiedType
    clang_isRestrictQualifiedType clang_getPointeeType clang_getArrayElementType clang_getArraySize
    clang_getElementType clang_getNumElements clang_getResultType clang_getNumArgTypes clang_getArgType
    clang_isFunctionTypeVariadic clang_getTypeDeclaration clang_Type_getNamedType clang_Type_getValueType
    clang_Type_visitFields clang_Type_getSizeOf clang_Type_getAlignOf clang_getTypeSpelling clang_getFileName
    clang_getFileContents clang_getIncludedFile clang_getLocationForOffset clang_getRange clang_tokenize
    clang_disposeTokens clang_getTokenSpelling clang_getTokenExtent clang_getTokenKind
    clang_getNumDiagnostics clang_getDiagnostic clang_disposeDiagnostic clang_getDiagnosticSeverity
    clang_getDiagnosticSpelling clang_getDiagnosticLocation clang_getAllSkippedRanges
    clang_disposeSourceRangeList
}

macro_rules! call {
    ($library:expr, $name:ident($($argument:expr),*)) => {{
        #[allow(clippy::expect_used)]
        let function = $library.functions.$name.expect("checked when the library was loaded");
        // SAFETY: the arguments belong to a unit of this library, which is alive.
        unsafe { function($($argument),*) }
    }};
}

impl Library {
    /// Loads a library.
    pub fn load(path: &Path) -> Result<Library, ClangError> {
        // SAFETY: libclang's initializers ask for nothing.
        let library =
            unsafe { libloading::Library::new(path) }.map_err(|e| ClangError::NotLoaded {
                path: path.to_owned(),
                reason: e.to_string(),
            })?;
        let functions = functions(&library).map_err(|function| ClangError::TooOld {
            path: path.to_owned(),
            function,
        })?;
        Ok(Library {
            functions,
            _library: library,
        })
    }

    /// The text of a string of libclang, which ends here.
    fn text(&self, string: CXString) -> String {
        let text: *const c_char = call!(self, clang_getCString(string));
        let copy = match text.is_null() {
            true => String::new(),
            // SAFETY: it is a C string as long as `string` lives.
            false => unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned(),
        };
        call!(self, clang_disposeString(string));
        copy
    }
}

/// A parsed file.
pub struct Parsed<'l> {
    library: &'l Library,
    index: CXIndex,
    unit: CXTranslationUnit,
}

impl Drop for Parsed<'_> {
    fn drop(&mut self) {
        call!(self.library, clang_disposeTranslationUnit(self.unit));
        call!(self.library, clang_disposeIndex(self.index));
    }
}

/// A file of a unit, by which it is known to libclang.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawFile(usize);

/// A part of a file.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The file, where it is one.
    pub file: Option<RawFile>,
    /// Its bytes.
    pub range: Range<u32>,
}

/// A message of clang.
pub struct Remark {
    /// How bad it is.
    pub severity: Severity,
    /// What is said.
    pub text: String,
    /// Where.
    pub at: Extent,
}

impl<'l> Parsed<'l> {
    /// Parses a file; `text` stands in its place where there is one.
    pub fn parse(
        library: &'l Library,
        file: &CString,
        text: Option<&str>,
        arguments: &[CString],
    ) -> Result<Parsed<'l>, c_int> {
        let pointers: Vec<*const c_char> = arguments.iter().map(|a| a.as_ptr()).collect();
        let mut unsaved: Vec<CXUnsavedFile> = text
            .iter()
            .map(|text| CXUnsavedFile {
                Filename: file.as_ptr(),
                Contents: text.as_ptr().cast(),
                Length: text.len() as _,
            })
            .collect();
        let index: CXIndex = call!(library, clang_createIndex(0, 0));
        let mut unit: CXTranslationUnit = ptr::null_mut();
        let code = call!(
            library,
            clang_parseTranslationUnit2(
                index,
                file.as_ptr(),
                pointers.as_ptr(),
                pointers.len() as c_int,
                unsaved.as_mut_ptr(),
                unsaved.len() as c_uint,
                CXTranslationUnit_DetailedPreprocessingRecord,
                &mut unit
            )
        );
        if code != CXError_Success || unit.is_null() {
            call!(library, clang_disposeIndex(index));
            return Err(code);
        }
        Ok(Parsed {
            library,
            index,
            unit,
        })
    }

    /// The root of the tree.
    pub fn root(&self) -> Cursor<'_> {
        Cursor {
            parsed: self,
            raw: call!(self.library, clang_getTranslationUnitCursor(self.unit)),
        }
    }

    /// What clang remarked.
    pub fn remarks(&self) -> Vec<Remark> {
        let n = call!(self.library, clang_getNumDiagnostics(self.unit));
        (0..n).map(|at| self.remark(at)).collect()
    }

    fn remark(&self, at: c_uint) -> Remark {
        let library = self.library;
        let raw = call!(library, clang_getDiagnostic(self.unit, at));
        let severity = match call!(library, clang_getDiagnosticSeverity(raw)) {
            CXDiagnostic_Fatal => Severity::Fatal,
            CXDiagnostic_Error => Severity::Error,
            CXDiagnostic_Warning => Severity::Warning,
            _ => Severity::Note,
        };
        let text = library.text(call!(library, clang_getDiagnosticSpelling(raw)));
        let (file, offset) = self.place(call!(library, clang_getDiagnosticLocation(raw)));
        call!(library, clang_disposeDiagnostic(raw));
        let at = Extent {
            file,
            range: offset..offset,
        };
        Remark { severity, text, at }
    }

    fn place(&self, location: CXSourceLocation) -> (Option<RawFile>, u32) {
        let mut file: CXFile = ptr::null_mut();
        let mut offset: c_uint = 0;
        call!(
            self.library,
            clang_getFileLocation(
                location,
                &mut file,
                ptr::null_mut(),
                ptr::null_mut(),
                &mut offset
            )
        );
        let known = (!file.is_null()).then_some(RawFile(file as usize));
        (known, offset)
    }

    fn extent(&self, range: CXSourceRange) -> Extent {
        let (file, start) = self.place(call!(self.library, clang_getRangeStart(range)));
        let (last, end) = self.place(call!(self.library, clang_getRangeEnd(range)));
        // What begins in one file and ends in another has a place, but no length.
        let end = if file == last { end.max(start) } else { start };
        Extent {
            file,
            range: start..end,
        }
    }

    /// What conditions of the preprocessor leave out, from the directive before it to the one behind it.
    pub fn skipped(&self) -> Vec<Extent> {
        let list = call!(self.library, clang_getAllSkippedRanges(self.unit));
        if list.is_null() {
            return Vec::new();
        }
        // SAFETY: libclang keeps the list, and its ranges, until it is disposed of.
        let all = unsafe {
            let (ranges, n) = ((*list).ranges, (*list).count);
            match ranges.is_null() {
                true => &[],
                false => slice::from_raw_parts(ranges, n as usize),
            }
        };
        let found = all.iter().map(|range| self.extent(*range)).collect();
        call!(self.library, clang_disposeSourceRangeList(list));
        found
    }

    /// The name of a file.
    pub fn file_name(&self, file: RawFile) -> String {
        self.library
            .text(call!(self.library, clang_getFileName(file.0 as CXFile)))
    }

    /// What stands in a file, as clang has read it.
    pub fn file_text(&self, file: RawFile) -> String {
        let mut size = 0;
        let text = call!(
            self.library,
            clang_getFileContents(self.unit, file.0 as CXFile, &mut size)
        );
        if text.is_null() {
            return String::new();
        }
        // SAFETY: libclang keeps that many bytes as long as the unit lives.
        let bytes = unsafe { slice::from_raw_parts(text.cast::<u8>(), size) };
        // Offsets are those of clang, so nothing may change its length.
        String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| {
            bytes
                .iter()
                .map(|b| if b.is_ascii() { *b as char } else { '?' })
                .collect()
        })
    }

    /// Whether a file is a header of the system.
    pub fn is_system(&self, file: RawFile) -> bool {
        let place = call!(
            self.library,
            clang_getLocationForOffset(self.unit, file.0 as CXFile, 0)
        );
        call!(self.library, clang_Location_isInSystemHeader(place)) != 0
    }

    /// The tokens of a part of a file, without comments.
    pub fn tokens(&self, file: RawFile, range: Range<u32>) -> Vec<(String, Range<u32>)> {
        let library = self.library;
        let place = |offset| {
            call!(
                library,
                clang_getLocationForOffset(self.unit, file.0 as CXFile, offset)
            )
        };
        let whole = call!(
            library,
            clang_getRange(place(range.start), place(range.end))
        );
        let mut tokens: *mut CXToken = ptr::null_mut();
        let mut n: c_uint = 0;
        call!(
            library,
            clang_tokenize(self.unit, whole, &mut tokens, &mut n)
        );
        if tokens.is_null() {
            return Vec::new();
        }
        // SAFETY: there are n of them until they are disposed of.
        let all = unsafe { slice::from_raw_parts(tokens, n as usize) };
        let found = all
            .iter()
            .filter(|token| call!(library, clang_getTokenKind(**token)) != CXToken_Comment)
            .map(|token| {
                let text = library.text(call!(library, clang_getTokenSpelling(self.unit, *token)));
                (
                    text,
                    self.extent(call!(library, clang_getTokenExtent(self.unit, *token)))
                        .range,
                )
            })
            .filter(|(_, at)| at.end <= range.end)
            .collect();
        call!(library, clang_disposeTokens(self.unit, tokens, n));
        found
    }
}

/// A constant that clang has computed.
pub enum Value {
    /// A whole number.
    Int(i128),
    /// A floating-point number.
    Float(f64),
}

/// A node of clang's tree.
#[derive(Clone, Copy)]
pub struct Cursor<'p> {
    parsed: &'p Parsed<'p>,
    raw: CXCursor,
}

impl PartialEq for Cursor<'_> {
    fn eq(&self, other: &Self) -> bool {
        call!(self.parsed.library, clang_equalCursors(self.raw, other.raw)) != 0
    }
}

impl Eq for Cursor<'_> {}

impl Hash for Cursor<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        call!(self.parsed.library, clang_hashCursor(self.raw)).hash(state);
    }
}

extern "C" fn collect_field(cursor: CXCursor, list: CXClientData) -> CXVisitorResult {
    // SAFETY: `fields` gives its list, and nobody else has it meanwhile.
    unsafe { &mut *list.cast::<Vec<CXCursor>>() }.push(cursor);
    CXVisit_Continue
}

extern "C" fn collect(cursor: CXCursor, _: CXCursor, list: CXClientData) -> CXChildVisitResult {
    // SAFETY: `children` gives its list, and nobody else has it meanwhile.
    unsafe { &mut *list.cast::<Vec<CXCursor>>() }.push(cursor);
    CXChildVisit_Continue
}

impl<'p> Cursor<'p> {
    fn library(&self) -> &'p Library {
        self.parsed.library
    }

    fn other(&self, raw: CXCursor) -> Option<Cursor<'p>> {
        (!INVALID.contains(&raw.kind)).then_some(Cursor {
            parsed: self.parsed,
            raw,
        })
    }

    fn typed(&self, raw: CXType) -> Ty<'p> {
        Ty {
            parsed: self.parsed,
            raw,
        }
    }

    /// What it is.
    pub fn kind(&self) -> CXCursorKind {
        self.raw.kind
    }

    /// Whether it is an expression.
    pub fn is_expr(&self) -> bool {
        EXPRESSIONS.contains(&self.raw.kind)
    }

    /// Whether it is a declaration.
    pub fn is_decl(&self) -> bool {
        DECLARATIONS.contains(&self.raw.kind) || self.raw.kind == CXCursor_StaticAssert
    }

    /// Whether it is a statement that is no expression.
    pub fn is_stmt(&self) -> bool {
        STATEMENTS.contains(&self.raw.kind)
    }

    /// Its children in clang's order.
    pub fn children(&self) -> Vec<Cursor<'p>> {
        let mut list: Vec<CXCursor> = Vec::new();
        let data: *mut c_void = (&raw mut list).cast();
        call!(self.library(), clang_visitChildren(self.raw, collect, data));
        list.into_iter().filter_map(|raw| self.other(raw)).collect()
    }

    /// Its name; a string literal's notation.
    pub fn spelling(&self) -> String {
        self.library()
            .text(call!(self.library(), clang_getCursorSpelling(self.raw)))
    }

    /// Its type.
    pub fn ty(&self) -> Ty<'p> {
        self.typed(call!(self.library(), clang_getCursorType(self.raw)))
    }

    /// The type that a `typedef` gives a name to.
    pub fn underlying(&self) -> Ty<'p> {
        self.typed(call!(
            self.library(),
            clang_getTypedefDeclUnderlyingType(self.raw)
        ))
    }

    /// What it refers to.
    pub fn referenced(&self) -> Option<Cursor<'p>> {
        self.other(call!(self.library(), clang_getCursorReferenced(self.raw)))
    }

    /// The first declaration of what it declares.
    pub fn first(&self) -> Cursor<'p> {
        self.other(call!(self.library(), clang_getCanonicalCursor(self.raw)))
            .unwrap_or(*self)
    }

    /// The definition of what it declares.
    pub fn definition(&self) -> Option<Cursor<'p>> {
        self.other(call!(self.library(), clang_getCursorDefinition(self.raw)))
    }

    /// Whether it defines what it declares.
    pub fn is_definition(&self) -> bool {
        call!(self.library(), clang_isCursorDefinition(self.raw)) != 0
    }

    /// Its place.
    pub fn extent(&self) -> Extent {
        self.parsed
            .extent(call!(self.library(), clang_getCursorExtent(self.raw)))
    }

    /// Whether it stands in a header of the system.
    pub fn is_in_system(&self) -> bool {
        let place = call!(self.library(), clang_getCursorLocation(self.raw));
        call!(self.library(), clang_Location_isInSystemHeader(place)) != 0
    }

    /// Its storage class.
    pub fn storage(&self) -> CX_StorageClass {
        call!(self.library(), clang_Cursor_getStorageClass(self.raw))
    }

    /// Whether a function is inline.
    pub fn is_inline(&self) -> bool {
        call!(self.library(), clang_Cursor_isFunctionInlined(self.raw)) != 0
    }

    /// Whether each thread has its own.
    pub fn is_thread_local(&self) -> bool {
        call!(self.library(), clang_getCursorTLSKind(self.raw)) != CXTLS_None
    }

    /// The operator of an expression with two operands.
    pub fn binary(&self) -> CXBinaryOperatorKind {
        call!(self.library(), clang_getCursorBinaryOperatorKind(self.raw))
    }

    /// The operator of an expression with one operand.
    pub fn unary(&self) -> CXUnaryOperatorKind {
        call!(self.library(), clang_getCursorUnaryOperatorKind(self.raw))
    }

    /// Its value, if it is a constant.
    pub fn value(&self) -> Option<Value> {
        let library = self.library();
        let result: CXEvalResult = call!(library, clang_Cursor_Evaluate(self.raw));
        if result.is_null() {
            return None;
        }
        let value = match call!(library, clang_EvalResult_getKind(result)) {
            CXEval_Int if call!(library, clang_EvalResult_isUnsignedInt(result)) != 0 => {
                Some(Value::Int(i128::from(call!(
                    library,
                    clang_EvalResult_getAsUnsigned(result)
                ))))
            }
            CXEval_Int => {
                let value = call!(library, clang_EvalResult_getAsLongLong(result));
                Some(Value::Int(i128::from(value)))
            }
            CXEval_Float => Some(Value::Float(call!(
                library,
                clang_EvalResult_getAsDouble(result)
            ))),
            _ => None,
        };
        call!(library, clang_EvalResult_dispose(result));
        value
    }

    /// The initializer of a variable.
    pub fn init(&self) -> Option<Cursor<'p>> {
        self.other(call!(
            self.library(),
            clang_Cursor_getVarDeclInitializer(self.raw)
        ))
    }

    /// The width of a bit-field.
    pub fn bits(&self) -> Option<u32> {
        let is_one = call!(self.library(), clang_Cursor_isBitField(self.raw)) != 0;
        let width = is_one.then(|| call!(self.library(), clang_getFieldDeclBitWidth(self.raw)));
        width.and_then(|width| u32::try_from(width).ok())
    }

    /// The first bit of a member.
    pub fn bit_offset(&self) -> Option<u64> {
        u64::try_from(call!(
            self.library(),
            clang_Cursor_getOffsetOfField(self.raw)
        ))
        .ok()
    }

    /// The value of an enumerator, as a number of its enumeration's type.
    pub fn enum_value(&self, is_unsigned: bool) -> i128 {
        match is_unsigned {
            true => i128::from(call!(
                self.library(),
                clang_getEnumConstantDeclUnsignedValue(self.raw)
            )),
            false => i128::from(call!(
                self.library(),
                clang_getEnumConstantDeclValue(self.raw)
            )),
        }
    }

    /// The type that an enumeration is stored as.
    pub fn enum_type(&self) -> Ty<'p> {
        self.typed(call!(
            self.library(),
            clang_getEnumDeclIntegerType(self.raw)
        ))
    }

    /// Whether a struct or enumeration has no tag.
    pub fn is_untagged(&self) -> bool {
        call!(self.library(), clang_Cursor_isAnonymous(self.raw)) != 0
    }

    /// Whether a struct is a member without a name.
    pub fn is_anonymous_member(&self) -> bool {
        call!(self.library(), clang_Cursor_isAnonymousRecordDecl(self.raw)) != 0
    }

    /// The parameters of a function.
    pub fn params(&self) -> Vec<Cursor<'p>> {
        let n = call!(self.library(), clang_Cursor_getNumArguments(self.raw)).max(0);
        (0..n as c_uint)
            .filter_map(|at| {
                self.other(call!(
                    self.library(),
                    clang_Cursor_getArgument(self.raw, at)
                ))
            })
            .collect()
    }

    /// The file that a directive includes.
    pub fn included(&self) -> Option<RawFile> {
        let file: CXFile = call!(self.library(), clang_getIncludedFile(self.raw));
        (!file.is_null()).then_some(RawFile(file as usize))
    }
}

/// A type of clang.
#[derive(Clone, Copy)]
pub struct Ty<'p> {
    parsed: &'p Parsed<'p>,
    raw: CXType,
}

impl<'p> Ty<'p> {
    fn library(&self) -> &'p Library {
        self.parsed.library
    }

    fn with(&self, raw: CXType) -> Ty<'p> {
        Ty {
            parsed: self.parsed,
            raw,
        }
    }

    /// What tells it from other types of its unit.
    pub fn key(&self) -> (CXTypeKind, usize) {
        (self.raw.kind, self.raw.data[0] as usize)
    }

    /// What it is.
    pub fn kind(&self) -> CXTypeKind {
        self.raw.kind
    }

    /// Const, volatile, restrict.
    pub fn qualifiers(&self) -> [bool; 3] {
        [
            call!(self.library(), clang_isConstQualifiedType(self.raw)) != 0,
            call!(self.library(), clang_isVolatileQualifiedType(self.raw)) != 0,
            call!(self.library(), clang_isRestrictQualifiedType(self.raw)) != 0,
        ]
    }

    /// The type without names.
    pub fn canonical(&self) -> Ty<'p> {
        self.with(call!(self.library(), clang_getCanonicalType(self.raw)))
    }

    /// What a pointer points to.
    pub fn pointee(&self) -> Ty<'p> {
        self.with(call!(self.library(), clang_getPointeeType(self.raw)))
    }

    /// Elements of an array.
    pub fn array_element(&self) -> Ty<'p> {
        self.with(call!(self.library(), clang_getArrayElementType(self.raw)))
    }

    /// Number of an array's elements.
    pub fn array_size(&self) -> u64 {
        u64::try_from(call!(self.library(), clang_getArraySize(self.raw))).unwrap_or(0)
    }

    /// Elements of a vector or a complex number.
    pub fn element(&self) -> Ty<'p> {
        self.with(call!(self.library(), clang_getElementType(self.raw)))
    }

    /// Number of a vector's elements.
    pub fn lanes(&self) -> u64 {
        u64::try_from(call!(self.library(), clang_getNumElements(self.raw))).unwrap_or(0)
    }

    /// What a function returns.
    pub fn result(&self) -> Ty<'p> {
        self.with(call!(self.library(), clang_getResultType(self.raw)))
    }

    /// The types of a function's parameters.
    pub fn params(&self) -> Vec<Ty<'p>> {
        let n = call!(self.library(), clang_getNumArgTypes(self.raw)).max(0);
        (0..n as c_uint)
            .map(|at| self.with(call!(self.library(), clang_getArgType(self.raw, at))))
            .collect()
    }

    /// Whether a function takes further arguments.
    pub fn is_variadic(&self) -> bool {
        call!(self.library(), clang_isFunctionTypeVariadic(self.raw)) != 0
    }

    /// The declaration of a struct, an enumeration or a name.
    pub fn declaration(&self) -> Option<Cursor<'p>> {
        let raw: CXCursor = call!(self.library(), clang_getTypeDeclaration(self.raw));
        (!INVALID.contains(&raw.kind)).then_some(Cursor {
            parsed: self.parsed,
            raw,
        })
    }

    /// The members of a struct or union, with those that have no name.
    pub fn fields(&self) -> Vec<Cursor<'p>> {
        let mut list: Vec<CXCursor> = Vec::new();
        let data: *mut c_void = (&raw mut list).cast();
        call!(
            self.library(),
            clang_Type_visitFields(self.raw, collect_field, data)
        );
        list.into_iter()
            .map(|raw| Cursor {
                parsed: self.parsed,
                raw,
            })
            .collect()
    }

    /// `struct s` without `struct`.
    pub fn named(&self) -> Ty<'p> {
        self.with(call!(self.library(), clang_Type_getNamedType(self.raw)))
    }

    /// What is atomic.
    pub fn value(&self) -> Ty<'p> {
        self.with(call!(self.library(), clang_Type_getValueType(self.raw)))
    }

    /// Bytes.
    pub fn size(&self) -> Option<u64> {
        u64::try_from(call!(self.library(), clang_Type_getSizeOf(self.raw))).ok()
    }

    /// Bytes.
    pub fn align(&self) -> Option<u64> {
        u64::try_from(call!(self.library(), clang_Type_getAlignOf(self.raw))).ok()
    }

    /// Its name in C.
    pub fn spelling(&self) -> String {
        self.library()
            .text(call!(self.library(), clang_getTypeSpelling(self.raw)))
    }
}
