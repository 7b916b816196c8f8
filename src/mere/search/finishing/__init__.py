"""What is decided of every answer after the search: which hits are unsure (`doubts`), on hidden sheets (`hidden`), or
copies of one another (`copies`)?"""
