#!/bin/sh
# Compiles through ccache, with the settings that precompiled headers need. Checkouts in other folders share results.
root=$(cd "$(dirname "$0")/.." && pwd)
CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 exec ccache "$@"
