"""Connected cars: with the driver's consent, a provider returns the data of the car."""
