#!/bin/sh
# What the compiler has made of the kernels of chapter 16, as a table: registers and spilled bytes of a thread, as ptxas
# says, and instructions, as a disassembler counts them: all, products of matrices, ldmatrix, copies that nobody waits
# for, 2ˣ and 1 ∕ x, and those that set two registers to 0. Compiled for compute capability 9.0.
#     code.sh NVCC OBJECTS TABLE [keep]
#
# Holds them against TABLE, or with `keep` writes it. Another version of nvcc than the table's makes other code: that is
# said, and nothing compared. Without nvdisasm (CUDA's tools have it; so has the package nvidia-cuda-nvdisasm on PyPI)
# only registers and spills are.
set -u
nvcc=$1 objects=$2 table=$3 keep=${4:-}
here=$(dirname "$0")
found=$objects/code.tsv
version=$("$nvcc" --version | sed -n 's/.*, V//p')
disassembler=$(command -v nvdisasm)
if [ -z "$keep" ] && [ "$(sed -n 's/^# nvcc //p' "$table")" != "$version" ]; then
    echo "left out: the kernels' code, which is kept for nvcc $(sed -n 's/^# nvcc //p' "$table"); this is $version"
    exit 0
fi
if [ -n "$keep" ] && [ -z "$disassembler" ]; then
    echo "code.sh: to keep a table nvdisasm is wanted, on PATH"
    exit 1
fi
mkdir -p "$objects" || exit 1
: >"$objects/code.ptxas"
: >"$objects/code.sass"
for kernel in naive tiles online mma hopper decode; do
    arch=90
    [ $kernel = hopper ] && arch=90a
    "$nvcc" -std=c++17 -O3 -Ilib -gencode arch=compute_$arch,code=sm_$arch -Xptxas -v -cubin "$here/$kernel.cu" \
        -o "$objects/$kernel.cubin" 2>>"$objects/code.ptxas" || { cat "$objects/code.ptxas"; exit 1; }
    [ -z "$disassembler" ] || "$disassembler" -c "$objects/$kernel.cubin" >>"$objects/code.sass" || exit 1
done

# A mangled name has the kernel's name, d and the kind of number in it.
{
    echo "# nvcc $version"
    printf '# kernel.d.kind\tregisters\tspilled\tinstructions\tproducts\tmatrices\tcopies\tspecial\tzeroing\n'
    awk -v with="${disassembler:+yes}" '
        function named(s,    d, kind, name)
        {
            name = s
            sub(/^_Z[0-9]+/, "", name)
            d = match(s, /Li[0-9]+E/) ? substr(s, RSTART + 2, RLENGTH - 3) : "any"
            kind = s ~ /HalfKind1/ ? "bfloat16" : s ~ /HalfKind0/ ? "float16" : "any"
            match(name, /^[a-z_]+/)
            return substr(name, 1, RLENGTH) "." d "." kind
        }
        FILENAME ~ /ptxas$/ && /Compiling entry function/ { split($0, part, "\047"); f = names[++n] = named(part[2]) }
        FILENAME ~ /ptxas$/ && /bytes spill stores/ { match($0, /[0-9]+ bytes spill stores/); spilled[f] = $0
            sub(/.*stack frame, /, "", spilled[f]); sub(/ bytes.*/, "", spilled[f]) }
        FILENAME ~ /ptxas$/ && /Used [0-9]+ registers/ { registers[f] = $0; sub(/.*Used /, "", registers[f])
            sub(/ registers.*/, "", registers[f]) }
        FILENAME ~ /sass$/ && /^\.text\./ { f = named(substr($1, 7)) }
        FILENAME ~ /sass$/ && /^ +\/\*[0-9a-f]+\*\// {
            op = $2 ~ /^@/ ? $3 : $2
            if (op ~ /^NOP/) next
            all[f]++
            products[f] += op ~ /^(HMMA|HGMMA)/
            matrices[f] += op ~ /^LDSM/
            copies[f] += op ~ /^(LDGSTS|UTMALDG|UTMASTG)/
            special[f] += op ~ /^MUFU/
            zeroing[f] += op ~ /^CS2R/ && /, SRZ/
        }
        END { for (i = 1; i <= n; i++) { f = names[i]
            printf "%s\t%d\t%d", f, registers[f], spilled[f]
            if (with) printf "\t%d\t%d\t%d\t%d\t%d\t%d", all[f], products[f], matrices[f], copies[f], special[f],
                               zeroing[f]
            printf "\n" } }' "$objects/code.ptxas" "$objects/code.sass"
} >"$found"
if [ -n "$keep" ]; then
    cp "$found" "$table" && echo "written: $table"
elif [ -n "$disassembler" ]; then
    diff "$table" "$found" && echo 'the code of the kernels is as it was kept'
else
    cut -f 1-3 "$table" | sed 2d >"$objects/code.kept"
    sed 2d "$found" | diff "$objects/code.kept" - &&
        echo 'registers and spills are as they were kept; instructions are left out, for want of nvdisasm'
fi
