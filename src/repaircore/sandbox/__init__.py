"""The sandbox, in which partners decide what the providers of the test environment do."""
