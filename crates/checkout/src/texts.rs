//! Every word that a payer reads, in each language that the pages speak.

use crate::language::Language;

/// A heading and what it means.
#[derive(Clone, Copy)]
pub(crate) struct Said {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! texts {
    ($($name:ident: $kind:tt = $spanish:tt, $english:tt;)+) => {
        /// What is said on the pages.
        pub(crate) struct Texts {
            pub(crate) language: Language,
            pub(crate) tag: &'static str,
            $(pub(crate) $name: texts!(@type $kind),)+
        }
        pub(crate) static SPANISH: Texts =
            Texts { language: Language::Spanish, tag: "es-DO", $($name: texts!(@value $kind $spanish),)+ };
        pub(crate) static ENGLISH: Texts =
            Texts { language: Language::English, tag: "en", $($name: texts!(@value $kind $english),)+ };
    };
    (@type text) => { &'static str };
    (@type said) => { Said };
    (@value text $text:literal) => { $text };
    (@value said ($title:literal, $text:literal)) => { Said { title: $title, text: $text } };
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
    secure: text = "Los datos de su tarjeta viajan cifrados y no se guardan.", "Your card details travel encrypted and are not kept.";
    wrong_number: text = "Revise el número de la tarjeta.", "Check the card number.";
    wrong_expiry: text = "Escriba el mes y el año, como 08/29.", "Write the month and the year, as in 08/29.";
    expired_card: text = "Esa tarjeta está vencida.", "That card has expired.";
    wrong_code: text = "Escriba los 3 o 4 dígitos del código.", "Write the 3 or 4 digits of the code.";
    questions: text = "¿Preguntas? Llame al", "Questions? Call";
    or_write: text = "o escriba a", "or write to";
    back_to: text = "Volver a", "Back to";
    last_digits: text = "terminada en", "ending in";
    statement: text = "En su estado de cuenta verá:", "Your statement will say:";
    declined_try_again: text = "Puede intentar de nuevo con la misma tarjeta o con otra.", "You can try again with the same card or another.";
    try_another: text = "Puede intentar con otra tarjeta.", "You can try another card.";
    mend_and_try: text = "Revise el dato e intente de nuevo, o use otra tarjeta.", "Check it and try again, or use another card.";
    share: text = "Parte", "Share";
    your_share: text = "Su parte", "Your share";
    of_a_total: text = "De un total de", "Of a total of";
    shares: text = "Partes de la cuenta", "Shares of the bill";
    shared_in: text = "Cuenta dividida en partes:", "Bill shared in parts:";
    pay_share: text = "Pagar esta parte", "Pay this share";
    hand_out: text = "Compartir enlace y QR", "Share link and QR";
    all_shares: text = "Ver todas las partes", "See all shares";
    share_is_held: text = "Su banco reserva el monto ahora. Se cobra cuando todas las partes estén listas y quien dividió la cuenta lo confirme.",
        "Your bank reserves the amount now. It is charged once every share is ready and whoever shared the bill confirms it.";
    charged_by: text = "Se libera si no se cobra antes de", "Released unless it is charged by";
    deadline: text = "Plazo para pagar y cobrar", "To be paid and charged by";
    was_charged: text = "Se cobró", "Charged";
    itbis_within: text = "ITBIS incluido", "ITBIS included";
    split_bill: text = "Dividir la cuenta", "Share the bill";
    change_split: text = "Cambiar la división", "Change the shares";
    how_many: text = "¿Entre cuántas personas?", "How many people?";
    from_to: text = "de 2 a 10", "2 to 10";
    equal_shares: text = "Dividir en partes iguales", "Share equally";
    own_amounts: text = "Elegir los montos", "Choose the amounts";
    each_at_least: text = "Cada parte debe ser de al menos", "Each share must be at least";
    check_shares: text = "Revise las partes:", "Check the shares:";
    amounts_come_to: text = "Los montos deben sumar", "The amounts must come to";
    split_so: text = "Dividir así", "Share it so";
    capture_all: text = "Cobrar", "Charge";
    capture_hint: text = "Todas las partes están reservadas: ya puede cobrarlas juntas. Si no las cobra a tiempo, se liberan.",
        "Every share is reserved: you can charge them together now. If you do not in time, they are released.";
    give_up: text = "Cancelar y liberar las reservas", "Cancel and release what is reserved";
    give_up_hint: text = "Los montos reservados vuelven a cada persona y este pago ya no se puede usar.", "What is reserved goes back to each person, and this payment can no longer be used.";
    give_up_now: text = "Liberar todo", "Release everything";
    give_up_rest_hint: text = "Lo que está reservado vuelve a cada persona y este pago ya no se puede usar. Lo que ya se cobró no se devuelve aquí: el reembolso se pide al comercio.",
        "What is reserved goes back to each person, and this payment can no longer be used. What was charged already is not given back here: ask the merchant for that refund.";
    give_up_rest: text = "Liberar lo reservado", "Release what is reserved";
    join_again: text = "Volver a una sola cuenta", "Make it one bill again";
    open_again: text = "Abrir de nuevo", "Open it again";
    open_again_hint: text = "Cada persona vuelve a tener dos horas para pagar su parte.", "Each person has two hours again to pay a share.";
    organized_by_you: text = "Usted dividió esta cuenta: aquí la cobra o la cancela.", "You shared this bill: here you charge it or cancel it.";
    scan_me: text = "Quien paga esta parte escanea el código o abre el enlace.", "Whoever pays this share scans the code or opens the link.";
    its_link: text = "Enlace para pagar esta parte", "Link to pay this share";
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
    tip_amount: text = "Monto", "Amount";
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
    check_at_authority: text = "Verificar en la DGII", "Check it at the DGII";
    as_contingency_copy: text = "Descargar copia de contingencia", "Download contingency copy";
    as_pdf: text = "Descargar PDF", "Download PDF";
    as_xml: text = "Descargar XML", "Download XML";
    by_email: text = "Recibirlo por correo", "Get it by e-mail";
    document_total: text = "Total del comprobante", "Total of the document";
    tip_apart: text = "Propina voluntaria (fuera del comprobante)", "Voluntary tip (not on the document)";
    tip_hint: text = "La propina se suma al pago, pero no forma parte del comprobante fiscal.", "The tip is added to the payment, but is not part of the fiscal document.";
    mail_queued: text = "El correo con el comprobante está en camino.", "The e-mail with the document is on its way.";
    mail_sent: text = "El comprobante se envió por correo.", "The document was sent by e-mail.";
    mail_failed: text = "El correo no se pudo entregar. Revise la dirección y pídalo de nuevo, o descárguelo aquí.",
        "The e-mail could not be delivered. Check the address and ask again, or download it here.";
    being_issued: text = "Se está emitiendo. Puede volver a abrir este enlace más tarde.", "It is being issued. You can open this link again later.";
    in_trouble: text = "El comercio debe corregir un dato antes de emitirlo. Su pago está completo.", "The merchant has to correct something before it is issued. Your payment is complete.";

    not_ready: said = ("El comprobante aún no está listo", "Vuelva a abrir el enlace en unos minutos."),
        ("The document is not ready yet", "Open the link again in a few minutes.");

    share_reserved: said = ("Su parte está reservada", "Se cobrará cuando todas las partes estén listas y quien dividió la cuenta lo confirme. Guarde este enlace para ver cómo va."),
        ("Your share is reserved", "It is charged once every share is ready and whoever shared the bill confirms it. Keep this link to see how it goes.");
    share_captured: said = ("Estamos cobrando su parte", "Tarda unos segundos."),
        ("We are charging your share", "It takes a few seconds.");
    share_paid: said = ("Su parte está pagada", "Falta completar otras partes de la cuenta."),
        ("Your share is paid", "Other shares of the bill remain to be paid.");
    share_left: said = ("La venta no se completó", "Su parte se cobró, pero el resto de la cuenta no. Hable con el comercio para que le devuelva el dinero."),
        ("The sale was not completed", "Your share was charged, but the rest of the bill was not. Talk to the merchant to get your money back.");
    share_declined: said = ("Su parte fue rechazada", "No se cobró nada. Esta parte ya no acepta más intentos: avise a quien dividió la cuenta."),
        ("Your share was declined", "Nothing was charged. This share takes no more attempts: tell whoever shared the bill.");
    share_released: said = ("Su parte fue liberada", "No se cobró nada de su parte."),
        ("Your share was released", "Nothing was charged for your share.");
    split_expired: said = ("El plazo para pagar terminó", "La cuenta no se cobró a tiempo: lo reservado se liberó y no se cobró nada. Quien dividió la cuenta puede abrirla de nuevo."),
        ("The time to pay is over", "The bill was not charged in time: what was reserved is free again, and nothing was charged. Whoever shared the bill can open it again.");

    bank_asks: said = ("Su banco quiere confirmar que es usted", "Le llevamos a la página de su banco. Al terminar volverá aquí."),
        ("Your bank wants to confirm that it is you", "We take you to your bank's page. You come back here afterwards.");
    bank_looks: said = ("Estamos consultando a su banco", "Espere unos segundos y no cierre esta página."),
        ("We are asking your bank", "Wait a few seconds and do not close this page.");
    processing: said = ("Estamos procesando su pago", "Tarda unos segundos. No cierre esta página ni pague de nuevo."),
        ("We are processing your payment", "It takes a few seconds. Do not close this page or pay again.");
    verifying: said = ("Estamos verificando el resultado con el banco", "No pague de nuevo. Puede cerrar esta página y volver a abrir el enlace más tarde."),
        ("We are checking the result with the bank", "Do not pay again. You may close this page and open the link again later.");
    issuing: said = ("Pago recibido", "Estamos emitiendo su comprobante fiscal. Espere en esta página."),
        ("Payment received", "We are issuing your fiscal document. Please wait on this page.");
    succeeded: said = ("Pago completado", "Gracias por su compra."),
        ("Payment completed", "Thank you for your purchase.");
    declined: said = ("El pago fue rechazado", "No se cobró nada. Este pago ya no acepta más intentos: pida otro enlace al comercio."),
        ("The payment was declined", "Nothing was charged. This payment takes no more attempts: ask the merchant for another link.");
    try_again: said = ("La tarjeta fue rechazada", "No se cobró nada."),
        ("The card was declined", "Nothing was charged.");
    cleared: said = ("No se cobró nada", "Ya sabemos que su intento anterior no se cobró. Puede pagar de nuevo."),
        ("Nothing was charged", "We know now that your earlier attempt was not charged. You can pay again.");
    document_pending: said = ("Falta completar el comprobante", "El comprobante que eligió todavía no se aplicó. Complételo o elija otro en «Comprobante fiscal», pulse «Aplicar» y podrá pagar."),
        ("The document is not complete", "The document that you chose is not applied yet. Complete it or choose another under “Fiscal document”, press “Apply”, and you can pay.");
    canceled: said = ("Pago cancelado", "El comercio canceló este pago. No se cobró nada."),
        ("Payment canceled", "The merchant canceled this payment. Nothing was charged.");
    given_up: said = ("Este pago fue cancelado", "No se cobró nada."),
        ("This payment was canceled", "Nothing was charged.");
    expired: said = ("El plazo para pagar terminó", "No se cobró nada. Pida otro enlace al comercio."),
        ("The time to pay is over", "Nothing was charged. Ask the merchant for another link.");
    authorized: said = ("Todas las partes están reservadas", "Todavía no se cobró nada: falta que lo confirme quien dividió la cuenta."),
        ("Every share is reserved", "Nothing was charged yet: whoever shared the bill has to confirm it.");
    authorized_here: said = ("Todas las partes están reservadas", "Todavía no se cobró nada: falta que usted pulse «Cobrar»."),
        ("Every share is reserved", "Nothing was charged yet: you have to press “Charge”.");
    partly: said = ("Falta una parte del pago", "Cada persona paga su parte."),
        ("A part of the payment is missing", "Each person pays a share.");
    partly_more: said = ("Faltan partes del pago", "Cada persona paga su parte."),
        ("Parts of the payment are missing", "Each person pays a share.");
    left_in_part: said = ("La venta no se completó", "Se cobró solo una parte de la cuenta y el resto ya no se puede cobrar. Quien pagó debe hablar con el comercio para que le devuelva el dinero."),
        ("The sale was not completed", "Only a part of the bill was charged, and the rest no longer can be. Whoever paid should talk to the merchant to get the money back.");
    partly_paid: said = ("Se cobró una parte de la cuenta", "Falta cobrar el resto. Quien ya pagó no debe pagar de nuevo."),
        ("A part of the bill was charged", "The rest remains to be charged. Whoever has paid need not pay again.");
    releasing: said = ("Estamos liberando los fondos reservados", "No se cobró nada."),
        ("We are releasing the reserved funds", "Nothing was charged.");
    awaits_shares: said = ("Cuenta dividida", "Cada persona paga su parte."),
        ("Shared bill", "Each person pays a share.");
    buyer_needed: said = ("Falta el comprador", "Este comprobante necesita un RNC o una cédula. Escríbalo en «Comprobante fiscal»."),
        ("The buyer is missing", "This document needs an RNC or a cédula. Write it under “Fiscal document”.");
    buyer_locked: said = ("Falta el comprador", "Este comprobante necesita un RNC o una cédula. Dígaselo al comercio."),
        ("The buyer is missing", "This document needs an RNC or a cédula. Tell the merchant.");

    no_payment: said = ("No encontramos este pago", "Abra de nuevo el enlace que recibió. Si así tampoco abre, revise que esté completo o pida otro al comercio."),
        ("We cannot find this payment", "Open the link that you got again. If it still does not open, check that it is complete or ask the merchant for another.");
    too_many_links: said = ("Demasiados enlaces que no abren nada", "Después abra de nuevo el suyo."),
        ("Too many links that open nothing", "Then open yours again.");
    too_many_starts: said = ("Este enlace se abrió demasiadas veces seguidas", "Después ábralo de nuevo."),
        ("This link was opened too often in a row", "Then open it again.");
    ready_to_open: said = ("Su pago", "Pulse «Continuar» para abrirlo."),
        ("Your payment", "Press “Continue” to open it.");
    no_session: said = ("Abra de nuevo el enlace que recibió", "Esta página ya no está abierta en este navegador. El enlace muestra cómo está el pago y, si ya pagó, su recibo. Si no lo tiene, pídalo al comercio."),
        ("Open the link that you received again", "This page is no longer open in this browser. The link shows how the payment stands and, once you have paid, your receipt. If you do not have the link, ask the merchant.");
    no_session_to_send: said = ("Abra de nuevo el enlace que recibió", "Esta página ya no está abierta en este navegador: lo que acaba de enviar no se procesó y no se cobró nada. El enlace muestra cómo está el pago y, si ya pagó, su recibo."),
        ("Open the link that you received again", "This page is no longer open in this browser: what you have just sent was not processed, and nothing was charged. The link shows how the payment stands and, once you have paid, your receipt.");
    no_cookies: said = ("Permita las cookies para ver este pago", "Este navegador no guardó la cookie que abre el pago. Permita las cookies de este sitio, o use otro navegador, y abra de nuevo el enlace que recibió."),
        ("Allow cookies to see this payment", "This browser did not keep the cookie that opens the payment. Allow cookies for this site, or use another browser, and open the link that you received again.");
    no_longer: said = ("El recibo ya no está disponible aquí", "Pídalo al comercio."),
        ("The receipt is no longer available here", "Ask the merchant for it.");
    out_of_order: said = ("Algo salió mal", "Su pago no ha cambiado. Intente de nuevo en unos minutos."),
        ("Something went wrong", "Your payment has not changed. Try again in a few minutes.");
    not_from_here: said = ("No pudimos usar ese formulario", "No se cobró nada. Abra de nuevo el enlace del comercio."),
        ("We could not use that form", "Nothing was charged. Open the merchant's link again.");
    only_get: said = ("Aquí solo se puede leer", "Abra el enlace en su navegador."),
        ("This can only be read", "Open the link in your browser.");
    only_post: said = ("Aquí no hay nada que leer", "Vuelva a la página anterior."),
        ("There is nothing to read here", "Go back to the page before.");
    looked: said = ("Gracias", "Puede volver a la página anterior."),
        ("Thank you", "You may go back to the page before.");
    no_answer: said = ("El banco no respondió", "Vuelva a la página anterior e intente de nuevo."),
        ("The bank did not answer", "Go back to the page before and try again.");

    note_changed: text = "Listo, cambio guardado.", "Done, your change is saved.";
    note_email_asked: text = "Listo. Lo enviaremos cuando esté emitido.", "Done. We send it once it is issued.";
    note_email_sending: text = "Listo. Se lo enviamos en unos minutos.", "Done. We send it in a few minutes.";
    note_email_too_often: text = "Este comprobante ya se pidió demasiadas veces por correo hoy. Descárguelo aquí, o pídalo mañana.",
        "This document was asked for by e-mail too often today. Download it here, or ask again tomorrow.";
    note_wrong_email: text = "Revise el correo.", "Check the e-mail address.";
    note_wrong_amount: text = "Escriba el monto con números, como 150.00.", "Write the amount in digits, as in 150.00.";
    note_too_high: text = "La propina no puede ser mayor que el monto de la compra.", "The tip cannot be more than the purchase.";
    note_wrong_tax_id: text = "Revise el RNC o la cédula.", "Check the RNC or cédula.";
    note_buyer_required: text = "Ese comprobante necesita el RNC o la cédula del comprador.", "That document needs the buyer's RNC or cédula.";
    note_buyer_unknown: text = "Ese RNC o cédula no está en el registro de la DGII. Revíselo.", "That RNC or cédula is not in the DGII's register. Check it.";
    note_buyer_unusable: text = "La DGII no permite emitir ese comprobante a ese contribuyente.", "The DGII does not allow that document for this taxpayer.";
    note_eligibility_required: text = "Ese comprobante necesita la referencia de la entidad pública.", "That document needs the reference of the public body.";
    note_locked: text = "El comercio fijó este comprobante.", "The merchant has set this document.";
    note_no_directory: text = "No pudimos consultar el registro de contribuyentes. Intente de nuevo.", "We could not ask the register of taxpayers. Try again.";
    note_unavailable: text = "Ese comprobante no está disponible aquí.", "That document is not available here.";
    note_wrong_shares: text = "Revise las partes: de 2 a 10, deben sumar el total y cada una tiene un mínimo.", "Check the shares: 2 to 10 of them, they must come to the total, and each has a minimum.";
    note_not_renewable: text = "Esta cuenta ya no se puede abrir de nuevo. Pida otro enlace al comercio.", "This bill cannot be opened again. Ask the merchant for another link.";
    note_not_now: text = "Ahora no es posible. Intente más tarde.", "That is not possible now. Try again later.";
    note_not_sent: text = "No pudimos comunicarnos con el banco. No se cobró nada: intente de nuevo.", "We could not reach the bank. Nothing was charged: try again.";
    note_merchant_cannot: text = "El comercio no puede cobrar con tarjeta en este momento. No se cobró nada: avísele, sus datos están al final de la página.",
        "The merchant cannot take cards at the moment. Nothing was charged: tell them, their contact is at the end of the page.";
    note_too_often: text = "Son demasiados intentos seguidos. No se cobró nada.", "Those are too many attempts in a row. Nothing was charged.";
    note_old_form: text = "No se cobró otra vez: así está su pago ahora.", "Nothing was charged again: this is how your payment stands now.";
    note_other_amount: text = "El monto cambió y no se cobró nada. Revíselo y pague de nuevo.",
        "The amount has changed, and nothing was charged. Check it and pay again.";
}
