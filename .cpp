#line 1 ""
