# Libraries of C files that hexcc translates, for `find_package(hexcc)`:
#
#   hexcc_add_library(NAME FILE.c.. [TARGET cuda|openmp|opencl] [OPTIONS OPTION..])
#
# translates each file and makes a library of the translations. TARGET is cuda unless told. hexcc gets OPTIONS, and the
# include directories and definitions that the library has. A file is translated again when it or what it includes changes.
#
# HEXCC is the command: the one on the PATH, or that of the clone that this file is in.
cmake_minimum_required(VERSION 3.20)

find_program(HEXCC hexcc HINTS "${CMAKE_CURRENT_LIST_DIR}/../target/release" "${CMAKE_CURRENT_LIST_DIR}/../scripts"
  DOC "The command hexcc")
if(NOT HEXCC)
  set(hexcc_FOUND FALSE)
  set(hexcc_NOT_FOUND_MESSAGE "There is no command hexcc; name it with -DHEXCC=PATH.")
  return()
endif()

# Options of hexcc that the entries of a list become.
function(_hexcc_options result option entries)
  set("${result}" "$<$<BOOL:${entries}>:${option}$<JOIN:${entries},;${option}>>" PARENT_SCOPE)
endfunction()

# The rule that translates a file.
function(_hexcc_translate name source output)
  get_filename_component(source "${source}" ABSOLUTE)
  _hexcc_options(includes -I "$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>")
  _hexcc_options(definitions -D "$<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${HEXCC}" "${source}" "${includes}" "${definitions}" ${ARGN} -MD -MF "${output}.d" -o "${output}"
    DEPENDS "${source}"
    DEPFILE "${output}.d"
    COMMENT "Translating ${source}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

function(hexcc_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 hexcc "" "TARGET" "OPTIONS")
  if(NOT hexcc_TARGET)
    set(hexcc_TARGET cuda)
  endif()
  if(NOT hexcc_TARGET MATCHES "^(cuda|openmp|opencl)$")
    message(FATAL_ERROR "hexcc_add_library(${name}): TARGET is cuda, openmp or opencl, not ${hexcc_TARGET}")
  endif()
  if(NOT hexcc_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hexcc_add_library(${name}): no C file is named")
  endif()
  if(hexcc_TARGET STREQUAL cuda AND NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "hexcc_add_library(${name}): TARGET cuda needs enable_language(CUDA)")
  endif()

  set(outputs "")
  foreach(source IN LISTS hexcc_UNPARSED_ARGUMENTS)
    get_filename_component(stem "${source}" NAME_WE)
    if(hexcc_TARGET STREQUAL cuda)
      set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.${stem}.cu")
    else()
      set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.${stem}.c")
    endif()
    _hexcc_translate("${name}" "${source}" "${output}" --target "${hexcc_TARGET}" ${hexcc_OPTIONS})
    list(APPEND outputs "${output}")
  endforeach()
  add_library("${name}" ${outputs})
  target_include_directories("${name}" PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")

  # Results have the bits of those of C only without fused multiply-add.
  target_compile_options("${name}" PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false>" "$<$<COMPILE_LANGUAGE:C>:-ffp-contract=off>")
  if(hexcc_TARGET STREQUAL openmp)
    find_package(OpenMP REQUIRED COMPONENTS C)
    target_link_libraries("${name}" PUBLIC OpenMP::OpenMP_C m)
  elseif(hexcc_TARGET STREQUAL opencl)
    find_package(OpenCL REQUIRED)
    target_link_libraries("${name}" PUBLIC OpenCL::OpenCL m)
  endif()
endfunction()
