"""Connected cars: a driver lets a provider tell how the car is, and it is asked."""
