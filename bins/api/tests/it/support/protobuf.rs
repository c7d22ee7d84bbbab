/// Field of a Protocol Buffers message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields numbered `number` of a message.
pub(crate) fn fields(mut message: &[u8], number: u64) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    while !message.is_empty() {
        let tag = varint(&mut message);
        let field = match tag & 7 {
            0 => Field::Number(varint(&mut message)),
            1 => Field::Number(u64::from_le_bytes(take(&mut message, 8).try_into().unwrap())),
            2 => {
                let length = varint(&mut message);
                Field::Bytes(take(&mut message, length.try_into().unwrap()))
            }
            5 => Field::Number(u32::from_le_bytes(take(&mut message, 4).try_into().unwrap()).into()),
            other => panic!("there is no wire type {other}"),
        };
        if tag >> 3 == number {
            found.push(field);
        }
    }
    found
}

/// Returns the messages, or texts, in the fields `number`.
pub(crate) fn within(message: &[u8], number: u64) -> Vec<&[u8]> {
    let bytes = |field| match field {
        Field::Bytes(bytes) => bytes,
        Field::Number(_) => panic!("field {number} is a number"),
    };
    fields(message, number).into_iter().map(bytes).collect()
}

/// Returns the text in the field `number`.
pub(crate) fn text(message: &[u8], number: u64) -> String {
    String::from_utf8(within(message, number).concat()).unwrap()
}

fn varint(message: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(message, 1)[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    panic!("a number has no end");
}

fn take<'a>(message: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = message.split_at(length);
    *message = rest;
    taken
}
