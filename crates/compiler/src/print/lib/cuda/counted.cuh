
// C counts variables of enumerations up and down.
template <typename Enum> using hexcc_if_enum = typename std::enable_if<std::is_enum<Enum>::value, Enum>::type;
template <typename Enum> hexcc_if_enum<Enum> &operator++(Enum &x) { return x = (Enum)(x + 1); }
template <typename Enum> hexcc_if_enum<Enum> &operator--(Enum &x) { return x = (Enum)(x - 1); }
template <typename Enum> hexcc_if_enum<Enum> operator++(Enum &x, int) { const Enum before = x; ++x; return before; }
template <typename Enum> hexcc_if_enum<Enum> operator--(Enum &x, int) { const Enum before = x; --x; return before; }
template <typename Enum, typename Number> hexcc_if_enum<Enum> &operator+=(Enum &x, Number n) { return x = (Enum)(x + n); }
template <typename Enum, typename Number> hexcc_if_enum<Enum> &operator-=(Enum &x, Number n) { return x = (Enum)(x - n); }
