use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks outside the public internet, with prefix lengths. Source: IANA's special-purpose address registry;
/// multicast and the reserved networks above.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 18] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 52, 193, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(192, 175, 48, 0), 24),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The only IPv6 network with global unicast addresses. Mapped, translated, unique local and link-local addresses are
/// outside.
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Special networks inside [`PUBLIC_V6`]: protocol assignments (with Teredo), documentation twice, and 6to4, which
/// contains IPv4 addresses.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0x0db8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether `address` belongs to the public internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => {
            let is_in =
                |(network, length): &(Ipv4Addr, u32)| (it.to_bits() ^ network.to_bits()).leading_zeros() >= *length;
            !NOT_PUBLIC_V4.iter().any(is_in)
        }
        IpAddr::V6(it) => {
            let is_in =
                |(network, length): &(Ipv6Addr, u32)| (it.to_bits() ^ network.to_bits()).leading_zeros() >= *length;
            is_in(&PUBLIC_V6) && !NOT_PUBLIC_V6.iter().any(is_in)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_public_text(text: &str) -> bool {
        is_public(text.parse().unwrap())
    }

    #[test]
    fn public_addresses_are_accepted() {
        for text in ["1.1.1.1", "9.255.255.255", "11.0.0.0", "172.32.0.0", "223.255.255.255", "2606:4700::1", "2a00::1"]
        {
            assert!(is_public_text(text), "{text}");
        }
    }

    #[test]
    fn private_addresses_are_refused() {
        for text in [
            "0.0.0.0",
            "10.255.255.255",
            "100.127.255.255",
            "127.0.0.1",
            "169.254.169.254",
            "172.31.255.255",
            "192.168.0.1",
            "198.19.255.255",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:8.8.8.8",
            "::8.8.8.8",
            "64:ff9b::808:808",
            "2001::1",
            "2001:db8::1",
            "2002:808:808::1",
            "3fff:fff::1",
            "fc00::1",
            "fe80::1",
            "ff02::1",
        ] {
            assert!(!is_public_text(text), "{text}");
        }
    }

    proptest! {
        /// An embedded IPv4 address is never public.
        #[test]
        fn an_embedded_ipv4_address_is_not_public(inner in any::<u32>()) {
            let inner_wide = u128::from(inner);
            let wrapped = [
                inner_wide,
                (0xffff_u128 << 32) | inner_wide,
                (0x0064_ff9b_u128 << 96) | inner_wide,
                (0x2002_u128 << 112) | (inner_wide << 80),
                (0x2001_u128 << 112) | (!inner_wide & 0xffff_ffff),
            ];
            for it in wrapped {
                prop_assert!(!is_public(Ipv6Addr::from_bits(it).into()), "{:?}", Ipv6Addr::from_bits(it));
            }
        }
    }
}
