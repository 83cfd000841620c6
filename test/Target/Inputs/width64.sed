# Models of width 64 from those of test/Pipelines: the heads of RGAT have half of it each.
s/3x2x4x/3x2x32x/g
s/([<x])[48]xf32/\164xf32/g
s/([<x])[48]x/\164x/g
s/<2x64xf32/<2x32xf32/g
s/2x64xf32/2x32xf32/
