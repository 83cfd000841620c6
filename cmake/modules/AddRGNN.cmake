# Wrappers of MLIR's CMake functions: every RGNN library and tool is declared through these, so that linking,
# precompiled headers and installation are decided in one place.

# A TableGen run: rgnn_tablegen(TARGET FILE.td OUTPUT1.inc "-gen-a" OUTPUT2.inc "-gen-b" ...)
function(rgnn_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(args ${ARGN})
  while(args)
    list(POP_FRONT args output flags)
    separate_arguments(flags)
    mlir_tablegen(${output} ${flags})
  endwhile()
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY RGNN_TABLEGEN_TARGETS ${target})
endfunction()

# Generated reference pages: build/docs/NAME.md
function(rgnn_doc name td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  tablegen(MLIR ${name}.md ${ARGN} "-I${MLIR_MAIN_INCLUDE_DIR}" "-I${MLIR_INCLUDE_DIR}")
  set(page ${CMAKE_BINARY_DIR}/docs/${name}.md)
  add_custom_command(OUTPUT ${page} COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/${name}.md ${page}
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${name}.md)
  add_custom_target(${name}DocGen DEPENDS ${page})
  if(NOT TARGET rgnn-doc)
    add_custom_target(rgnn-doc)
  endif()
  add_dependencies(rgnn-doc ${name}DocGen)
endfunction()

# A library: add_rgnn_library(NAME sources... LINK RGNN libraries...). MLIR and LLVM are what StaticLLVM.cmake says, and
# nothing beside: an archive of MLIR beside its shared library would bring a second registry of types and options.
function(add_rgnn_library name)
  cmake_parse_arguments(ARG "NO_INSTALL" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  get_property(generated GLOBAL PROPERTY RGNN_TABLEGEN_TARGETS)
  if(generated)
    add_dependencies(${name} ${generated})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${RGNN_LLVM_LIBRARIES})
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_compile_features(${name} INTERFACE cxx_std_17)
  rgnn_use_pch(${name})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter -Wno-comment)
  if(NOT ARG_NO_INSTALL)
    install(TARGETS ${name} EXPORT RGNNTargets ARCHIVE DESTINATION lib)
    set_property(GLOBAL APPEND PROPERTY RGNN_LIBRARIES ${name})
  endif()
endfunction()

# An executable: add_rgnn_tool(NAME sources... LINK ...)
function(add_rgnn_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${RGNN_LLVM_LIBRARIES})
  # The precompiled header takes the flags that it was made with: those of libraries, -fPIC and no -fPIE.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  rgnn_use_pch(${name})
  install(TARGETS ${name} EXPORT RGNNTargets RUNTIME DESTINATION bin)
  set_property(GLOBAL APPEND PROPERTY RGNN_TOOLS ${name})
endfunction()

# What `find_package(RGNN)` of another project needs: headers, the generated ones too, and the targets RGNN::NAME.
function(rgnn_install_package)
  include(CMakePackageConfigHelpers)
  set(directory lib/cmake/RGNN)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/RGNN DESTINATION include
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.def")
  install(DIRECTORY ${CMAKE_BINARY_DIR}/include/RGNN DESTINATION include
    FILES_MATCHING PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
  install(EXPORT RGNNTargets DESTINATION ${directory} NAMESPACE RGNN::)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/RGNNConfig.cmake.in
    ${CMAKE_BINARY_DIR}/cmake/RGNNConfig.cmake INSTALL_DESTINATION ${directory})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/RGNNConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/cmake/RGNNConfig.cmake ${CMAKE_BINARY_DIR}/cmake/RGNNConfigVersion.cmake
    DESTINATION ${directory})
endfunction()

# One precompiled header for all libraries: parsing MLIR's headers is most of the time of a file. It holds what several
# libraries include; dialects cost a file that does not use them nothing.
function(rgnn_use_pch name)
  if(NOT TARGET RGNNPrecompiled)
    file(WRITE ${CMAKE_BINARY_DIR}/pch/pch.cpp "")
    add_library(RGNNPrecompiled STATIC ${CMAKE_BINARY_DIR}/pch/pch.cpp)
    target_precompile_headers(RGNNPrecompiled PRIVATE
      <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/DialectImplementation.h>
      <mlir/IR/PatternMatch.h> <mlir/IR/Remarks.h> <mlir/Pass/PassManager.h> <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/GPU/IR/GPUDialect.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
      <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h>
      <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/Dialect/Vector/IR/VectorOps.h>)
    target_compile_options(RGNNPrecompiled PRIVATE -Wall -Wextra -Wno-unused-parameter -Wno-comment
      "SHELL:-Xclang -fno-pch-timestamp") # so that ccache may keep what was made with it
    set_target_properties(RGNNPrecompiled PROPERTIES PCH_WARN_INVALID OFF)
  endif()
  target_precompile_headers(${name} REUSE_FROM RGNNPrecompiled)
endfunction()
