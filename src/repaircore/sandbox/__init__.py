"""What providers of the test environment do when a partner says so."""
