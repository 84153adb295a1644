"""The table and the polynomial of lib/base/portable_math.c: `python3 data/reference/expf.py` prints both. Needs mpmath.

2^z = 2^(k/32) · 2^r, where k is the integer next to 32 z and |r| ≤ 1/64. The table holds 2^(i/32). The polynomial
1 + a r + b r² + c r³ is the one whose largest relative error on that interval is smallest. The Remez algorithm finds
it: solve for a, b, c and e such that the error is e, −e, −e, e at four points, move the inner points to where the error
is largest, and repeat. (The error changes its sign at 0, where it is 0, too.)
"""

from mpmath import findroot, lu_solve, matrix, mp, mpf, nstr

mp.prec = 200
STEPS = 32
END = mpf(1) / (2 * STEPS)
SIGNS = (1, -1, -1, 1)


def polynomial(c, r):
    return 1 + r * (c[0] + r * (c[1] + r * c[2]))


def error(c, r):
    return polynomial(c, r) / mpf(2) ** r - 1


def slope_of_error(c, r):
    """But for the factor 2^-r."""
    return c[0] + r * (2 * c[1] + r * 3 * c[2]) - mp.log(2) * polynomial(c, r)


def solve(points):
    left, right = matrix(4, 4), matrix(4, 1)
    for i, r in enumerate(points):
        for power in range(3):
            left[i, power] = r ** (power + 1)
        left[i, 3] = -SIGNS[i] * mpf(2) ** r
        right[i] = mpf(2) ** r - 1
    return lu_solve(left, right)


points = [-END, mpf("-0.7") * END, mpf("0.7") * END, END]
for _ in range(10):
    c = solve(points)
    points[1:3] = [findroot(lambda r: slope_of_error(c, r), p) for p in points[1:3]]

print("table")
for i in range(STEPS):
    print(" ", float(mpf(2) ** (mpf(i) / STEPS)).hex())
print("polynomial: a, b, c")
for k in range(3):
    print(" ", float(c[k]).hex())
print("largest relative error", ", ".join(nstr(error(c, p), 6) for p in points))
