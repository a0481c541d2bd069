"""Connected cars: with a driver's consent, a provider returns the data of their car."""
