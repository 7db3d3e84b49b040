<?php
require __DIR__ . '/queue_pass.php';

echo "<p>Welcome to the shop.</p>\n"; // Your shop begins here.
