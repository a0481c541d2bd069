"""The vehicle catalog: makes, models, trims and engines of passenger vehicles sold in the United States."""
