"""The real claude: finding it, starting it, reading what it says."""
