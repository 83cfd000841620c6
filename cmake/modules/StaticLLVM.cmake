# RGNN_LLVM_LIBRARIES: what all libraries link of MLIR and LLVM, and with RGNN_STATIC_LLVM RGNN_LLD_LIBRARIES. The
# default is libMLIR.so and libLLVM.so; a Python package has the archives in their place, of which the linker takes what
# is used. (Debian's CMake targets of MLIR's archives name libLLVM.so, hence their files.)
if(NOT RGNN_STATIC_LLVM)
  set(RGNN_LLVM_LIBRARIES MLIR LLVM)
  return()
endif()

function(rgnn_archives result)
  set(files)
  foreach(library ${ARGN})
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      if(type STREQUAL STATIC_LIBRARY)
        list(APPEND files $<TARGET_FILE:${library}>)
      endif()
    endif()
  endforeach()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

find_package(LLD REQUIRED CONFIG HINTS ${LLVM_LIBRARY_DIR}/cmake/lld)
get_property(mlir_libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
rgnn_archives(mlir_archives ${mlir_libraries})
set(llvm_libraries ${LLVM_AVAILABLE_LIBS})
list(REMOVE_ITEM llvm_libraries Polly PollyISL) # a package of its own
rgnn_archives(llvm_archives ${llvm_libraries})
rgnn_archives(RGNN_LLD_LIBRARIES lldELF lldCommon)
find_library(RGNN_STATIC_ZLIB libz.a REQUIRED)
find_library(RGNN_STATIC_ZSTD libzstd.a REQUIRED)
set(RGNN_LLVM_LIBRARIES ${mlir_archives} ${llvm_archives} ${RGNN_STATIC_ZLIB} ${RGNN_STATIC_ZSTD} ${CMAKE_DL_LIBS} m rt)

# What lld starts with that RGNN generates no code for (python/src/UnusedTargets.cpp).
set(unused ${LLVM_TARGETS_TO_BUILD})
list(REMOVE_ITEM unused X86 NVPTX)
list(TRANSFORM unused REPLACE "(.+)" "RGNN_UNUSED_TARGET(\\1)\n")
list(JOIN unused "" RGNN_UNUSED_TARGETS)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/include/UnusedTargets.def CONTENT "@RGNN_UNUSED_TARGETS@" @ONLY)
