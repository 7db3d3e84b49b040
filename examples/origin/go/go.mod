module example.com/queue-pass

go 1.19
