//! Fixed texts of the pages in both languages.

use crate::language::Language;

/// A heading with its explanation.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! texts {
    ($($name:ident: $kind:tt = $spanish:tt, $english:tt;)+) => {
        /// Fixed texts of the pages in one language.
        pub(crate) struct Texts {
            pub(crate) language: Language,
            pub(crate) tag: &'static str,
            $(pub(crate) $name: texts!(@type $kind),)+
        }
        static SPANISH: Texts =
            Texts { language: Language::Spanish, tag: "es-DO", $($name: texts!(@value $kind $spanish),)+ };
        static ENGLISH: Texts =
            Texts { language: Language::English, tag: "en", $($name: texts!(@value $kind $english),)+ };
    };
    (@type text) => { &'static str };
    (@type message) => { Message };
    (@value text $text:literal) => { $text };
    (@value message ($title:literal, $text:literal)) => { Message { title: $title, text: $text } };
}

texts! {
    other_language: text = "English", "Español";
    summary: text = "Resumen", "Summary";
    total: text = "Total a pagar", "Total to pay";
    paid_total: text = "Total pagado", "Total paid";
    unpaid_total: text = "Total", "Total";
    subtotal: text = "Subtotal", "Subtotal";
    others: text = "Otros", "Others";
    legal_tip: text = "Propina legal (10\u{a0}%)", "Legal service charge (10%)";
    voluntary_tip: text = "Propina voluntaria", "Voluntary tip";
    pay_before: text = "Puede pagar hasta:", "You can pay until:";
    pay_by_card: text = "Pagar con tarjeta", "Pay by card";
    card_number: text = "Número de tarjeta", "Card number";
    expiry: text = "Vence", "Expires";
    expiry_hint: text = "MM/AA", "MM/YY";
    code: text = "Código CVV", "CVV code";
    accepted: text = "Tarjetas aceptadas", "Cards accepted";
    pay: text = "Pagar", "Pay";
    paying: text = "Procesando…", "Processing…";
    secure: text = "Los datos de su tarjeta viajan cifrados y no se guardan.", "Your card details are encrypted and not stored.";
    wrong_number: text = "Revise el número de la tarjeta.", "Check the card number.";
    wrong_expiry: text = "Escriba el mes y el año, como 08/29.", "Enter the month and the year, as in 08/29.";
    expired_card: text = "Esa tarjeta está vencida.", "That card has expired.";
    wrong_code: text = "Escriba los 3 o 4 dígitos del código.", "Enter the 3 or 4 digits of the code.";
    questions: text = "¿Preguntas? Llame al", "Questions? Call";
    or_write: text = "o escriba a", "or write to";
    back_to: text = "Volver a", "Back to";
    last_digits: text = "terminada en", "ending in";
    statement: text = "En su estado de cuenta verá:", "Your statement will say:";
    declined_try_again: text = "Puede intentar de nuevo con la misma tarjeta o con otra.", "You can try again with the same card or another.";
    try_another: text = "Puede intentar con otra tarjeta.", "You can try another card.";
    correct_and_retry: text = "Revise el dato e intente de nuevo, o use otra tarjeta.", "Check the card details and try again, or use another card.";
    share: text = "Parte", "Share";
    your_share: text = "Su parte", "Your share";
    of_a_total: text = "De un total de", "Of a total of";
    shares: text = "Partes de la cuenta", "Shares of the bill";
    shared_in: text = "Cuenta dividida en partes:", "Bill shared in parts:";
    pay_share: text = "Pagar esta parte", "Pay this share";
    share_link_and_qr: text = "Compartir enlace y QR", "Share link and QR";
    all_shares: text = "Ver todas las partes", "See all shares";
    share_is_reserved: text = "Su banco reserva el monto ahora. Se cobra cuando todas las partes estén listas y quien dividió la cuenta lo confirme.",
        "Your bank reserves the amount now. It is charged when every share is ready and the person who shared the bill confirms.";
    charged_by: text = "Se libera si no se cobra antes de", "Released unless it is charged by";
    deadline: text = "Plazo para pagar y cobrar", "To be paid and charged by";
    charged: text = "Se cobró", "Charged";
    itbis_included: text = "ITBIS incluido", "ITBIS included";
    split_bill: text = "Dividir la cuenta", "Share the bill";
    change_split: text = "Cambiar la división", "Change the shares";
    how_many: text = "¿Entre cuántas personas?", "How many people?";
    from_to: text = "de 2 a 10", "2 to 10";
    equal_shares: text = "Dividir en partes iguales", "Share equally";
    own_amounts: text = "Elegir los montos", "Choose the amounts";
    each_at_least: text = "Cada parte debe ser de al menos", "Each share must be at least";
    check_shares: text = "Revise las partes:", "Check the shares:";
    amounts_must_sum_to: text = "Los montos deben sumar", "The amounts must add up to";
    apply_split: text = "Dividir así", "Share this way";
    capture_all: text = "Cobrar", "Charge";
    capture_hint: text = "Todas las partes están reservadas: ya puede cobrarlas juntas. Si no las cobra a tiempo, se liberan.",
        "Every share is reserved: you can charge them together now. Shares that are not charged in time are released.";
    release: text = "Cancelar y liberar las reservas", "Cancel and release the reserved amounts";
    release_hint: text = "Los montos reservados vuelven a cada persona y este pago ya no se puede usar.", "The reserved amounts return to each person, and this payment can no longer be used.";
    release_all: text = "Liberar todo", "Release everything";
    release_rest_hint: text = "Lo que está reservado vuelve a cada persona y este pago ya no se puede usar. Lo que ya se cobró no se devuelve aquí: el reembolso se pide al comercio.",
        "The reserved amounts return to each person, and this payment can no longer be used. Amounts already charged are not refunded here: ask the merchant.";
    release_rest: text = "Liberar lo reservado", "Release the reserved amounts";
    join_again: text = "Volver a una sola cuenta", "Make one bill again";
    open_again: text = "Abrir de nuevo", "Open again";
    open_again_hint: text = "Cada persona vuelve a tener dos horas para pagar su parte.", "Each person has two more hours to pay a share.";
    organized_by_you: text = "Usted dividió esta cuenta: aquí la cobra o la cancela.", "You shared this bill: you can charge or cancel it here.";
    share_link_hint: text = "Quien paga esta parte escanea el código o abre el enlace.", "The person who pays this share scans the code or opens the link.";
    share_link: text = "Enlace para pagar esta parte", "Link to pay this share";
    copy: text = "Copiar enlace", "Copy link";
    copied: text = "Copiado", "Copied";
    send_link: text = "Compartir", "Share";
    by_whatsapp: text = "Enviar por WhatsApp", "Send by WhatsApp";
    please_pay: text = "Pague su parte aquí", "Pay your share here";
    wallets: text = "Billeteras aceptadas", "Wallets accepted";
    test_mode: text = "Modo de prueba: no se cobra dinero.", "Test mode: no money is charged.";
    refresh: text = "Actualizar", "Refresh";
    to_the_bank: text = "Ir al banco", "Go to the bank";
    go_on: text = "Continuar", "Continue";
    amount: text = "Monto", "Amount";
    apply: text = "Aplicar", "Apply";
    send: text = "Enviar", "Send";
    document: text = "Comprobante fiscal", "Fiscal document";
    document_kind: text = "Tipo", "Kind";
    buyer: text = "Comprador", "Buyer";
    tax_id: text = "RNC o cédula del comprador", "Buyer's RNC or cédula";
    tax_id_hint: text = "9 u 11 dígitos", "9 or 11 digits";
    eligibility: text = "Referencia de la entidad pública", "Reference of the public body";
    eligibility_hint: text = "solo para comprobantes gubernamentales", "for government invoices only";
    paid_at: text = "Pagado", "Paid";
    check_code: text = "Código de seguridad", "Security code";
    check_at_authority: text = "Verificar en la DGII", "Verify at the DGII";
    as_contingency_copy: text = "Descargar copia de contingencia", "Download contingency copy";
    as_pdf: text = "Descargar PDF", "Download PDF";
    as_xml: text = "Descargar XML", "Download XML";
    by_email: text = "Recibirlo por correo", "Receive the document by e-mail";
    document_total: text = "Total del comprobante", "Total of the document";
    tip_apart: text = "Propina voluntaria (fuera del comprobante)", "Voluntary tip (not on the document)";
    tip_hint: text = "La propina se suma al pago, pero no forma parte del comprobante fiscal.", "The tip is added to the payment, but is not part of the fiscal document.";
    mail_queued: text = "El correo con el comprobante está en camino.", "The e-mail with the document is on its way.";
    mail_sent: text = "El comprobante se envió por correo.", "The document was sent by e-mail.";
    mail_failed: text = "El correo no se pudo entregar. Revise la dirección y pídalo de nuevo, o descárguelo aquí.",
        "The e-mail could not be delivered. Check the address and request the e-mail again, or download the document here.";
    refunds: text = "Devoluciones", "Refunds";
    refunded_total: text = "Total devuelto", "Total refunded";
    refund_processing: text = "En proceso", "In progress";
    refund_processing_hint: text = "El dinero puede tardar varios días en verse en su tarjeta.", "The money may take several days to appear on your card.";
    refund_returned: text = "Devuelto", "Refunded";
    refund_returned_in_part: text = "Devuelto en parte", "Refunded in part";
    refund_failed: text = "No se pudo devolver: consulte al comercio", "Could not be refunded: ask the merchant";
    credit_note: text = "Nota de crédito", "Credit note";
    note_pending: text = "Nota de crédito en camino", "The credit note is on its way";
    being_issued: text = "Se está emitiendo. Puede volver a abrir este enlace más tarde.", "The document is being issued. You can open this link again later.";
    needs_correction: text = "El comercio debe corregir un dato antes de emitirlo. Su pago está completo.", "The merchant must correct the document before issuance. Your payment is complete.";

    not_ready: message = ("El comprobante aún no está listo", "Vuelva a abrir el enlace en unos minutos."),
        ("The document is not ready yet", "Open the link again in a few minutes.");

    share_reserved: message = ("Su parte está reservada", "Se cobrará cuando todas las partes estén listas y quien dividió la cuenta lo confirme. Guarde este enlace para ver cómo va."),
        ("Your share is reserved", "It is charged when every share is ready and the person who shared the bill confirms. Keep this link to follow the progress.");
    share_captured: message = ("Estamos cobrando su parte", "Tarda unos segundos."),
        ("We are charging your share", "This takes a few seconds.");
    share_paid: message = ("Su parte está pagada", "Falta completar otras partes de la cuenta."),
        ("Your share is paid", "Other shares of the bill remain to be paid.");
    share_left: message = ("La venta no se completó", "Su parte se cobró, pero el resto de la cuenta no. Hable con el comercio para que le devuelva el dinero."),
        ("The sale was not completed", "Your share was charged, but the rest of the bill was not. Ask the merchant for a refund.");
    share_declined: message = ("Su parte fue rechazada", "No se cobró nada. Esta parte ya no acepta más intentos: avise a quien dividió la cuenta."),
        ("Your share was declined", "Nothing was charged. This share accepts no more attempts: tell the person who shared the bill.");
    share_released: message = ("Su parte fue liberada", "No se cobró nada de su parte."),
        ("Your share was released", "Nothing was charged for your share.");
    split_expired: message = ("El plazo para pagar terminó", "La cuenta no se cobró a tiempo: lo reservado se liberó y no se cobró nada. Quien dividió la cuenta puede abrirla de nuevo."),
        ("The time to pay is over", "The bill was not charged in time: the reserved amounts were released, and nothing was charged. The person who shared the bill can open it again.");

    bank_asks: message = ("Su banco quiere confirmar que es usted", "Le llevamos a la página de su banco. Al terminar volverá aquí."),
        ("Your bank wants to confirm your identity", "We take you to your bank's page. You return here afterwards.");
    bank_looks: message = ("Estamos consultando a su banco", "Espere unos segundos y no cierre esta página."),
        ("We are asking your bank", "Wait a few seconds and do not close this page.");
    processing: message = ("Estamos procesando su pago", "Tarda unos segundos. No cierre esta página ni pague de nuevo."),
        ("We are processing your payment", "This takes a few seconds. Do not close this page or pay again.");
    verifying: message = ("Estamos verificando el resultado con el banco", "No pague de nuevo. Puede cerrar esta página y volver a abrir el enlace más tarde."),
        ("We are checking the result with the bank", "Do not pay again. You may close this page and open the link again later.");
    issuing: message = ("Pago recibido", "Estamos emitiendo su comprobante fiscal. Espere en esta página."),
        ("Payment received", "We are issuing your fiscal document. Please wait on this page.");
    succeeded: message = ("Pago completado", "Gracias por su compra."),
        ("Payment completed", "Thank you for your purchase.");
    declined: message = ("El pago fue rechazado", "No se cobró nada. Este pago ya no acepta más intentos: pida otro enlace al comercio."),
        ("The payment was declined", "Nothing was charged. This payment accepts no more attempts: ask the merchant for another link.");
    try_again: message = ("La tarjeta fue rechazada", "No se cobró nada."),
        ("The card was declined", "Nothing was charged.");
    cleared: message = ("No se cobró nada", "Ya sabemos que su intento anterior no se cobró. Puede pagar de nuevo."),
        ("Nothing was charged", "Your earlier attempt was not charged. You can pay again.");
    document_pending: message = ("Falta completar el comprobante", "El comprobante que eligió todavía no se aplicó. Complételo o elija otro en «Comprobante fiscal», pulse «Aplicar» y podrá pagar."),
        ("The document is not complete", "The document that you chose is not applied yet. Complete that document or choose another under “Fiscal document”, and press “Apply”. Then you can pay.");
    canceled: message = ("Pago cancelado", "El comercio canceló este pago. No se cobró nada."),
        ("Payment canceled", "The merchant canceled this payment. Nothing was charged.");
    split_canceled: message = ("Este pago fue cancelado", "No se cobró nada."),
        ("This payment was canceled", "Nothing was charged.");
    expired: message = ("El plazo para pagar terminó", "No se cobró nada. Pida otro enlace al comercio."),
        ("The time to pay is over", "Nothing was charged. Ask the merchant for another link.");
    authorized: message = ("Todas las partes están reservadas", "Todavía no se cobró nada: falta que lo confirme quien dividió la cuenta."),
        ("Every share is reserved", "Nothing was charged yet: the person who shared the bill must confirm.");
    authorized_here: message = ("Todas las partes están reservadas", "Todavía no se cobró nada: falta que usted pulse «Cobrar»."),
        ("Every share is reserved", "Nothing was charged yet: press “Charge”.");
    partly: message = ("Falta una parte del pago", "Cada persona paga su parte."),
        ("A part of the payment is missing", "Each person pays a share.");
    partly_more: message = ("Faltan partes del pago", "Cada persona paga su parte."),
        ("Parts of the payment are missing", "Each person pays a share.");
    left_in_part: message = ("La venta no se completó", "Se cobró solo una parte de la cuenta y el resto ya no se puede cobrar. Quien pagó debe hablar con el comercio para que le devuelva el dinero."),
        ("The sale was not completed", "Only a part of the bill was charged, and the rest can no longer be charged. People who paid should ask the merchant for a refund.");
    left_and_returned: message = ("La venta no se completó", "Lo que se cobró se devolvió."),
        ("The sale was not completed", "The charged amounts were refunded.");
    partly_paid: message = ("Se cobró una parte de la cuenta", "Falta cobrar el resto. Quien ya pagó no debe pagar de nuevo."),
        ("A part of the bill was charged", "The rest remains to be charged. People who have paid need not pay again.");
    releasing: message = ("Estamos liberando los fondos reservados", "No se cobró nada."),
        ("We are releasing the reserved funds", "Nothing was charged.");
    awaits_shares: message = ("Cuenta dividida", "Cada persona paga su parte."),
        ("Shared bill", "Each person pays a share.");
    buyer_needed: message = ("Falta el comprador", "Este comprobante necesita un RNC o una cédula. Escríbalo en «Comprobante fiscal»."),
        ("The buyer is missing", "This document needs an RNC or a cédula. Enter the number under “Fiscal document”.");
    buyer_locked: message = ("Falta el comprador", "Este comprobante necesita un RNC o una cédula. Dígaselo al comercio."),
        ("The buyer is missing", "This document needs an RNC or a cédula. Tell the merchant.");

    no_payment: message = ("No encontramos este pago", "Abra de nuevo el enlace que recibió. Si así tampoco abre, revise que esté completo o pida otro al comercio."),
        ("We cannot find this payment", "Open the link that you received again. If the page still does not open, check that the link is complete, or ask the merchant for another.");
    too_many_links: message = ("Demasiados enlaces que no abren nada", "Después abra de nuevo el suyo."),
        ("Too many invalid links", "Then open your link again.");
    too_many_starts: message = ("Este enlace se abrió demasiadas veces seguidas", "Después ábralo de nuevo."),
        ("This link was opened too often", "Then open the link again.");
    ready_to_open: message = ("Su pago", "Pulse «Continuar» para abrirlo."),
        ("Your payment", "Press “Continue” to open the payment.");
    no_session: message = ("Abra de nuevo el enlace que recibió", "Esta página ya no está abierta en este navegador. El enlace muestra cómo está el pago y, si ya pagó, su recibo. Si no lo tiene, pídalo al comercio."),
        ("Open the link that you received again", "This page is no longer open in this browser. The link shows the status of the payment and, after you have paid, your receipt. If you do not have the link, ask the merchant.");
    no_session_to_send: message = ("Abra de nuevo el enlace que recibió", "Esta página ya no está abierta en este navegador: lo que acaba de enviar no se procesó y no se cobró nada. El enlace muestra cómo está el pago y, si ya pagó, su recibo."),
        ("Open the link that you received again", "This page is no longer open in this browser: the form that you have just sent was not processed, and nothing was charged. The link shows the status of the payment and, after you have paid, your receipt.");
    no_cookies: message = ("Permita las cookies para ver este pago", "Este navegador no guardó la cookie que abre el pago. Permita las cookies de este sitio, o use otro navegador, y abra de nuevo el enlace que recibió."),
        ("Allow cookies to see this payment", "This browser did not store the cookie that opens the payment. Allow cookies for this site, or use another browser, and open the link that you received again.");
    no_longer: message = ("El recibo ya no está disponible aquí", "Pídalo al comercio."),
        ("The receipt is no longer available here", "Ask the merchant for the receipt.");
    internal_error: message = ("Algo salió mal", "Su pago no ha cambiado. Intente de nuevo en unos minutos."),
        ("Something went wrong", "Your payment has not changed. Try again in a few minutes.");
    foreign_form: message = ("No pudimos usar ese formulario", "No se cobró nada. Abra de nuevo el enlace del comercio."),
        ("We could not process that form", "Nothing was charged. Open the merchant's link again.");
    only_get: message = ("Aquí solo se puede leer", "Abra el enlace en su navegador."),
        ("This page can only be read", "Open the link in your browser.");
    only_post: message = ("Aquí no hay nada que leer", "Vuelva a la página anterior."),
        ("This address only accepts forms", "Go back to the previous page.");
    method_done: message = ("Gracias", "Puede volver a la página anterior."),
        ("Thank you", "You may go back to the previous page.");
    no_issuer_result: message = ("El banco no respondió", "Vuelva a la página anterior e intente de nuevo."),
        ("The bank did not respond", "Go back to the previous page and try again.");
}

impl Language {
    pub(crate) const fn texts(self) -> &'static Texts {
        self.choose(&SPANISH, &ENGLISH)
    }
}
