//! Enums whose values have something beside them: a name, or a row of a table.

/// Declares an enum with a table: the row of each value stands beside it. The enum gets `ALL`, its values in order, and a function that
/// returns the row of a value.
///
/// ```
/// obook_base::table! {
///     /// A side of a coin.
///     #[derive(Clone, Copy, PartialEq, Debug)]
///     enum Side {
///         /// With the head.
///         Heads = ("heads", 1),
///         /// With the number.
///         Tails = ("tails", -1),
///     }
///     /// Its name, and what it is worth.
///     fn row -> (&'static str, i8)
/// }
/// assert_eq!(Side::ALL.map(Side::row), [("heads", 1), ("tails", -1)]);
/// ```
#[macro_export]
macro_rules! table {
    (
        $(#[$about:meta])*
        $visible:vis enum $Named:ident {
            $($(#[$about_value:meta])* $Value:ident = $beside:expr,)*
        }
        $(#[$about_row:meta])*
        $shown:vis fn $row:ident -> $row_type:ty
    ) => {
        $(#[$about])*
        $visible enum $Named {
            $($(#[$about_value])* $Value,)*
        }

        impl $Named {
            /// All values, in order.
            $visible const ALL: [$Named; [$($Named::$Value),*].len()] = [$($Named::$Value),*];

            $(#[$about_row])*
            #[must_use]
            $shown const fn $row(self) -> $row_type {
                match self {
                    $($Named::$Value => {
                        const ROW: $row_type = $beside;
                        ROW
                    })*
                }
            }
        }
    };
}

/// Declares an enum and the names of its values: it gets `ALL`, the values in order, `name`, and `Display`, which writes the name.
///
/// ```
/// obook_base::named! {
///     /// A season of tournaments.
///     #[derive(Clone, Copy, PartialEq, Eq, Debug)]
///     pub enum Season {
///         /// From April to September.
///         Summer = "summer",
///         /// From October to March.
///         Winter = "winter",
///     }
/// }
/// assert_eq!(Season::ALL.map(Season::name), ["summer", "winter"]);
/// assert_eq!(Season::Winter.to_string(), "winter");
/// ```
#[macro_export]
macro_rules! named {
    (
        $(#[$about:meta])*
        $visible:vis enum $Named:ident {
            $($(#[$about_value:meta])* $Value:ident = $name:literal,)*
        }
    ) => {
        $crate::table! {
            $(#[$about])*
            $visible enum $Named {
                $($(#[$about_value])* $Value = $name,)*
            }
            /// The value's name.
            $visible fn name -> &'static str
        }

        impl ::std::fmt::Display for $Named {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

/// Implements `+=` for a struct of counts, given all of its fields: each is added.
///
/// ```
/// #[derive(PartialEq, Debug)]
/// struct Counts { added: u64, removed: u64 }
/// obook_base::sums! { Counts { added, removed } }
/// let mut counts = Counts { added: 1, removed: 2 };
/// counts += Counts { added: 3, removed: 4 };
/// assert_eq!(counts, Counts { added: 4, removed: 6 });
/// ```
#[macro_export]
macro_rules! sums {
    ($Counts:ident { $($field:ident),* }) => {
        impl ::std::ops::AddAssign for $Counts {
            fn add_assign(&mut self, more: $Counts) {
                let $Counts { $($field),* } = more;
                $(self.$field += $field;)*
            }
        }
    };
}
