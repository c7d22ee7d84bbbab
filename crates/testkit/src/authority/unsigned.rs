//! Unsigned documents of an issuer.

use domain::fiscal::Route;

/// Security code of the document behind [`summary`].
pub const SUMMARY_CODE: &str = "y3n9Gz";

/// An unsigned document and the route of submission.
#[derive(Clone)]
#[expect(missing_docs, reason = "they are those of a submission")]
pub struct UnsignedDocument {
    pub xml: String,
    pub number: &'static str,
    pub route: Route,
    pub invoice: &'static str,
    pub revision: u32,
}

impl UnsignedDocument {
    /// Replaces the first occurrence of a text.
    #[track_caller]
    pub fn with(&self, from: &str, to: &str) -> Self {
        assert!(self.xml.contains(from), "{from} is not in the document");
        Self { xml: self.xml.replacen(from, to, 1), ..self.clone() }
    }

    /// Sets the number.
    pub fn numbered(&self, number: &'static str) -> Self {
        Self { number, ..self.with(self.number, number) }
    }

    /// Marks the document as corrected.
    pub fn corrected(&self) -> Self {
        Self { revision: 2, ..self.clone() }
    }

    /// Sets the invoice number.
    pub fn invoiced(&self, invoice: &'static str) -> Self {
        Self { invoice, ..self.clone() }
    }

    /// Sets the invoice number, also inside a full document.
    pub fn naming(&self, invoice: &'static str) -> Self {
        let named = format!("<NumeroFacturaInterna>{invoice}</NumeroFacturaInterna><FechaEmision>");
        self.with("<FechaEmision>", &named).invoiced(invoice)
    }
}

/// Two lunches of 450.00 at 18 % with tip, yogurt at 16 % with tip, exempt water with tip, and a
/// shirt at 18 % without.
pub fn fiscal_credit() -> UnsignedDocument {
    full(
        "E310000000001",
        "<RNCComprador>101000007</RNCComprador><RazonSocialComprador>COMPRADOR, SRL</RazonSocialComprador>",
        "<MontoGravadoTotal>1480.14</MontoGravadoTotal><MontoGravadoI1>1299.99</MontoGravadoI1>\
         <MontoGravadoI2>180.15</MontoGravadoI2><MontoExento>75.00</MontoExento><ITBIS1>18</ITBIS1>\
         <ITBIS2>16</ITBIS2><TotalITBIS>262.82</TotalITBIS><TotalITBIS1>234.00</TotalITBIS1>\
         <TotalITBIS2>28.82</TotalITBIS2><MontoImpuestoAdicional>115.52</MontoImpuestoAdicional>\
         <ImpuestosAdicionales><ImpuestoAdicional><TipoImpuesto>001</TipoImpuesto>\
         <TasaImpuestoAdicional>10</TasaImpuestoAdicional>\
         <OtrosImpuestosAdicionales>115.52</OtrosImpuestosAdicionales></ImpuestoAdicional></ImpuestosAdicionales>\
         <MontoTotal>1933.48</MontoTotal>",
        &[
            line(1, 1, "2", "450.00", true, "900.00"),
            line(2, 2, "1.50", "120.10", true, "180.15"),
            line(3, 4, "1", "75.00", true, "75.00"),
            line(4, 1, "1", "399.99", false, "399.99"),
        ],
    )
}

/// Ten services at 18 % and three things at no rate, for a public body.
pub fn government() -> UnsignedDocument {
    full(
        "E450000000001",
        "<RNCComprador>401000008</RNCComprador><RazonSocialComprador>INSTITUCIÓN</RazonSocialComprador>",
        "<MontoGravadoTotal>3599.99</MontoGravadoTotal><MontoGravadoI1>3500.00</MontoGravadoI1>\
         <MontoGravadoI3>99.99</MontoGravadoI3><ITBIS1>18</ITBIS1><ITBIS3>0</ITBIS3><TotalITBIS>630.00</TotalITBIS>\
         <TotalITBIS1>630.00</TotalITBIS1><TotalITBIS3>0.00</TotalITBIS3><MontoTotal>4229.99</MontoTotal>",
        &[line(1, 1, "10", "350.00", false, "3500.00"), line(2, 3, "3", "33.33", false, "99.99")],
    )
}

/// A consumer document of exactly 250,000.00, with a buyer.
pub fn large_consumer() -> UnsignedDocument {
    full(
        "E320000000002",
        "<RNCComprador>00100000017</RNCComprador><RazonSocialComprador>PERSONA</RazonSocialComprador>",
        "<MontoExento>250000.00</MontoExento><MontoTotal>250000.00</MontoTotal>\
         <MontoNoFacturable>50.00</MontoNoFacturable>",
        &[line(1, 4, "1", "250000.00", false, "250000.00"), line(2, 0, "2", "25.00", false, "50.00")],
    )
}

/// A dinner of 1,999.99 with ITBIS in the price, with tip, and a deposit that is not invoiced.
pub fn tax_included() -> UnsignedDocument {
    let paper = full(
        "E310000000003",
        "<RNCComprador>101000007</RNCComprador><RazonSocialComprador>COMPRADOR, SRL</RazonSocialComprador>",
        "<MontoGravadoTotal>1694.91</MontoGravadoTotal><MontoGravadoI1>1694.91</MontoGravadoI1><ITBIS1>18</ITBIS1>\
         <TotalITBIS>305.08</TotalITBIS><TotalITBIS1>305.08</TotalITBIS1>\
         <MontoImpuestoAdicional>169.49</MontoImpuestoAdicional><ImpuestosAdicionales><ImpuestoAdicional>\
         <TipoImpuesto>001</TipoImpuesto><TasaImpuestoAdicional>10</TasaImpuestoAdicional>\
         <OtrosImpuestosAdicionales>169.49</OtrosImpuestosAdicionales></ImpuestoAdicional></ImpuestosAdicionales>\
         <MontoTotal>2169.48</MontoTotal><MontoNoFacturable>50.00</MontoNoFacturable>",
        &[line(1, 1, "1", "1999.99", true, "1999.99"), line(2, 0, "2", "25.00", false, "50.00")],
    );
    paper.with("<IndicadorMontoGravado>0", "<IndicadorMontoGravado>1")
}

/// The summary of a consumer document of 2,169.48.
pub fn summary() -> UnsignedDocument {
    let xml = "<?xml version=\"1.0\" encoding=\"utf-8\"?><RFCE><Encabezado><Version>1.0</Version><IdDoc>\
        <TipoeCF>32</TipoeCF><eNCF>E320000000001</eNCF><TipoIngresos>01</TipoIngresos><TipoPago>1</TipoPago>\
        </IdDoc><Emisor><RNCEmisor>130000001</RNCEmisor><RazonSocialEmisor>RESTAURANTE</RazonSocialEmisor>\
        <FechaEmision>01-03-2026</FechaEmision></Emisor><Comprador>\
        <RazonSocialComprador>CONSUMIDOR FINAL</RazonSocialComprador></Comprador><Totales>\
        <MontoGravadoTotal>1694.91</MontoGravadoTotal><MontoGravadoI1>1694.91</MontoGravadoI1>\
        <TotalITBIS>305.08</TotalITBIS><TotalITBIS1>305.08</TotalITBIS1>\
        <MontoImpuestoAdicional>169.49</MontoImpuestoAdicional><ImpuestosAdicionales><ImpuestoAdicional>\
        <TipoImpuesto>001</TipoImpuesto><OtrosImpuestosAdicionales>169.49</OtrosImpuestosAdicionales>\
        </ImpuestoAdicional></ImpuestosAdicionales><MontoTotal>2169.48</MontoTotal></Totales>\
        <CodigoSeguridadeCF>y3n9Gz</CodigoSeguridadeCF></Encabezado></RFCE>";
    UnsignedDocument {
        xml: xml.to_owned(),
        number: "E320000000001",
        route: Route::Summary,
        invoice: "F-0002",
        revision: 1,
    }
}

/// The credit note of everything that a full document states, of the same day.
pub fn whole_note(of: &UnsignedDocument) -> UnsignedDocument {
    let reference = format!(
        "<InformacionReferencia><NCFModificado>{}</NCFModificado>\
         <FechaNCFModificado>01-03-2026</FechaNCFModificado><CodigoModificacion>1</CodigoModificacion>\
         <RazonModificacion>Solicitud del cliente</RazonModificacion></InformacionReferencia><FechaHoraFirma>",
        of.number
    );
    let note = of.numbered("E340000000001").with(&format!("<TipoeCF>{}<", &of.number[1..3]), "<TipoeCF>34<");
    let xml = note.xml.replace(EXPIRY, "");
    UnsignedDocument { xml, ..note }
        .with("<IndicadorMontoGravado>", "<IndicadorNotaCredito>0</IndicadorNotaCredito><IndicadorMontoGravado>")
        .with("<FechaHoraFirma>", &reference)
}

/// The credit note of the shirt of [`fiscal_credit`], of 471.99.
pub fn part_note() -> UnsignedDocument {
    let shirt = full(
        "E310000000001",
        "<RNCComprador>101000007</RNCComprador><RazonSocialComprador>COMPRADOR, SRL</RazonSocialComprador>",
        "<MontoGravadoTotal>399.99</MontoGravadoTotal><MontoGravadoI1>399.99</MontoGravadoI1><ITBIS1>18</ITBIS1>\
         <TotalITBIS>72.00</TotalITBIS><TotalITBIS1>72.00</TotalITBIS1><MontoTotal>471.99</MontoTotal>",
        &[line(1, 1, "1", "399.99", false, "399.99")],
    );
    whole_note(&shirt).numbered("E340000000002").with("<CodigoModificacion>1<", "<CodigoModificacion>3<")
}

const EXPIRY: &str = "<FechaVencimientoSecuencia>31-12-2027</FechaVencimientoSecuencia>";

fn full(number: &'static str, buyer: &str, totals: &str, lines: &[String]) -> UnsignedDocument {
    let (ecf_type, lines) = (&number[1..3], lines.concat());
    let expiry = if ecf_type == "32" { "" } else { EXPIRY };
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><ECF><Encabezado><Version>1.0</Version><IdDoc>\
         <TipoeCF>{ecf_type}</TipoeCF><eNCF>{number}</eNCF>{expiry}\
         <IndicadorMontoGravado>0</IndicadorMontoGravado><TipoIngresos>01</TipoIngresos><TipoPago>1</TipoPago>\
         </IdDoc><Emisor><RNCEmisor>130000001</RNCEmisor><RazonSocialEmisor>RESTAURANTE &amp; CÍA</RazonSocialEmisor>\
         <DireccionEmisor>CALLE EL CONDE 1</DireccionEmisor><FechaEmision>01-03-2026</FechaEmision></Emisor>\
         <Comprador>{buyer}</Comprador><Totales>{totals}</Totales></Encabezado>\
         <DetallesItems>{lines}</DetallesItems><FechaHoraFirma>01-03-2026 08:00:00</FechaHoraFirma></ECF>"
    );
    UnsignedDocument { xml, number, route: Route::Full, invoice: "F-0001", revision: 1 }
}

fn line(number: usize, indicator: u8, quantity: &str, price: &str, bears_tip: bool, amount: &str) -> String {
    let tip = "<TablaImpuestoAdicional><ImpuestoAdicional><TipoImpuesto>001</TipoImpuesto></ImpuestoAdicional>\
        </TablaImpuestoAdicional>";
    let tip = if bears_tip { tip } else { "" };
    format!(
        "<Item><NumeroLinea>{number}</NumeroLinea><IndicadorFacturacion>{indicator}</IndicadorFacturacion>\
         <NombreItem>LÍNEA &lt;{number}&gt;</NombreItem><IndicadorBienoServicio>1</IndicadorBienoServicio>\
         <CantidadItem>{quantity}</CantidadItem><PrecioUnitarioItem>{price}</PrecioUnitarioItem>{tip}\
         <MontoItem>{amount}</MontoItem></Item>"
    )
}
