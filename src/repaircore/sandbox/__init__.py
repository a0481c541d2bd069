"""The sandbox: partners make providers of the test environment act."""
