"""When are compiled kernels used instead of NumPy, and where is their machine code kept?

Importing Numba takes about a second, and compiling kernels that this installation has never used takes seconds more.
One question from a cold shell does not earn that back.  So the kernels of every default mode have a NumPy version with
the same answers, and a process starts with NumPy.

Kernels are compiled in groups (`Group`), each when it is needed.  Ski-rental rule: NumPy answers until its total time
equals the cost of loading the group (`load_cost`); then the group is compiled, kernel by kernel, in a background
thread, and NumPy goes on answering until that is done.  So a process never spends more than twice the least possible
time, and no question waits for the compiler.  `warm` compiles in the foreground, for a process that will ask many
questions, and `load` for one large piece of work.

    groups        which group is ready, and how long NumPy has answered for it
    background    the thread that compiles
    forks         why no process forks while another thread compiles
    code          where machine code is kept, and what it costs to load
    arrays        the types of arrays that kernels are compiled for
    numba_import  Numba without SciPy, where segments are built
    jit           `@kernel` and `@helper`
"""

from mere.compiled.arrays import read_only
from mere.compiled.code import Group, code_folder, is_worth_loading, load_cost
from mere.compiled.groups import Trial, interruptible, load, ready, time_fallback, warm

__all__ = [
    "Group",
    "Trial",
    "code_folder",
    "interruptible",
    "is_worth_loading",
    "load",
    "load_cost",
    "read_only",
    "ready",
    "time_fallback",
    "warm",
]
