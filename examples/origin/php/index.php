<?php
require __DIR__ . '/queue_pass.php';

echo "Welcome to the shop.\n"; // Your shop begins here.
