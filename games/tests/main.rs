//! Game records against plain definitions.
