update server set ended = ended + 1
