// RUN: not rgnn-opt %s --rgnn-to-cpu="compact=flase" 2>&1 | FileCheck %s --check-prefix=REWRITE
// RUN: not rgnn-opt %s --rgnn-to-gpu="fuse=maybe" 2>&1 | FileCheck %s --check-prefix=FUSE
// RUN: not rgnn-opt %s --rgnn-to-hetkernel="adjacency=csr" 2>&1 | FileCheck %s --check-prefix=ADJACENCY
// RUN: not rgnn-opt %s --rgnn-to-buffers="start=here" 2>&1 | FileCheck %s --check-prefix=START
// RUN: not rgnn-opt %s --rgnn-kernels-to-nvvm="format=ptx" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not rgnn-opt %s --rgnn-to-gpu="format=ptx" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not rgnn-opt %s --pass-pipeline="builtin.module(rgnn-to-cpu{compact=flase})" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REWRITE

// An option that is one of some words is refused where it is none of them, and the words are named.

// REWRITE:   error: expected auto, true or false as compact, got flase
// FUSE:      error: expected auto, true or false as fuse, got maybe
// ADJACENCY: error: expected auto, coo or csc as adjacency, got csr
// START:     error: expected captured or buffers as start, got here
// FORMAT:    error: expected isa, bin, fatbin or llvm as format, got ptx
