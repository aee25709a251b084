//! Enums whose values have names.

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
        $(#[$about])*
        $visible enum $Named {
            $($(#[$about_value])* $Value,)*
        }

        impl $Named {
            /// All values, in order.
            $visible const ALL: [$Named; [$($name),*].len()] = [$($Named::$Value),*];

            /// The value's name.
            #[must_use]
            $visible const fn name(self) -> &'static str {
                match self {
                    $($Named::$Value => $name,)*
                }
            }
        }

        impl ::std::fmt::Display for $Named {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
