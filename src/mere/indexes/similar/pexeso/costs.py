def depth_chosen(grid, mapped, sets):
    return 4
