//! Structure of documents: the part of the authority's schemas that sales need.

use super::element::{MalformedXml, XmlElement};

/// Children of each element, in order. A summary has some of the elements, in the same order, and one more.
///
/// Source: the schemas `e-CF 31`, `e-CF 32`, `e-CF 45` and `RFCE 32`, v. 1.0.
const ORDER: &[(&str, &str)] = &[
    (
        "ECF",
        "Encabezado DetallesItems Subtotales DescuentosORecargos Paginacion InformacionReferencia FechaHoraFirma \
         Signature",
    ),
    ("RFCE", "Encabezado Signature"),
    (
        "Encabezado",
        "Version IdDoc Emisor Comprador InformacionesAdicionales Transporte Totales OtraMoneda CodigoSeguridadeCF",
    ),
    (
        "IdDoc",
        "TipoeCF eNCF FechaVencimientoSecuencia IndicadorEnvioDiferido IndicadorMontoGravado \
         IndicadorServicioTodoIncluido TipoIngresos TipoPago FechaLimitePago TerminoPago TablaFormasPago \
         TipoCuentaPago NumeroCuentaPago BancoPago FechaDesde FechaHasta TotalPaginas",
    ),
    ("TablaFormasPago", "FormaDePago"),
    ("FormaDePago", "FormaPago MontoPago"),
    (
        "Emisor",
        "RNCEmisor RazonSocialEmisor NombreComercial Sucursal DireccionEmisor Municipio Provincia \
         TablaTelefonoEmisor CorreoEmisor WebSite ActividadEconomica CodigoVendedor NumeroFacturaInterna \
         NumeroPedidoInterno ZonaVenta RutaVenta InformacionAdicionalEmisor FechaEmision",
    ),
    (
        "Comprador",
        "RNCComprador IdentificadorExtranjero RazonSocialComprador ContactoComprador CorreoComprador \
         DireccionComprador MunicipioComprador ProvinciaComprador FechaEntrega ContactoEntrega DireccionEntrega \
         TelefonoAdicional FechaOrdenCompra NumeroOrdenCompra CodigoInternoComprador ResponsablePago \
         InformacionAdicionalComprador",
    ),
    (
        "Totales",
        "MontoGravadoTotal MontoGravadoI1 MontoGravadoI2 MontoGravadoI3 MontoExento ITBIS1 ITBIS2 ITBIS3 \
         TotalITBIS TotalITBIS1 TotalITBIS2 TotalITBIS3 MontoImpuestoAdicional ImpuestosAdicionales MontoTotal \
         MontoNoFacturable MontoPeriodo SaldoAnterior MontoAvancePago ValorPagar",
    ),
    (
        "OtraMoneda",
        "TipoMoneda TipoCambio MontoGravadoTotalOtraMoneda MontoGravado1OtraMoneda MontoGravado2OtraMoneda \
         MontoGravado3OtraMoneda MontoExentoOtraMoneda TotalITBISOtraMoneda TotalITBIS1OtraMoneda \
         TotalITBIS2OtraMoneda TotalITBIS3OtraMoneda MontoImpuestoAdicionalOtraMoneda ImpuestosAdicionalesOtraMoneda \
         MontoTotalOtraMoneda",
    ),
    ("DetallesItems", "Item"),
    ("OtraMonedaDetalle", "PrecioOtraMoneda DescuentoOtraMoneda RecargoOtraMoneda MontoItemOtraMoneda"),
    (
        "Item",
        "NumeroLinea TablaCodigosItem IndicadorFacturacion NombreItem IndicadorBienoServicio DescripcionItem \
         CantidadItem UnidadMedida CantidadReferencia UnidadReferencia PrecioUnitarioItem DescuentoMonto \
         TablaSubDescuento RecargoMonto TablaSubRecargo TablaImpuestoAdicional OtraMonedaDetalle MontoItem",
    ),
];

/// Repeatable elements.
const REPEATED: &[&str] = &["FormaDePago", "Item"];

/// Elements of full documents only.
const IN_FULL_ALONE: &[&str] =
    &["IndicadorMontoGravado", "ITBIS1", "ITBIS2", "ITBIS3", "TasaImpuestoAdicional", "OtraMoneda"];
/// Elements of summaries only.
const IN_SUMMARY_ALONE: &[&str] = &["CodigoSeguridadeCF"];

/// Checks order and names, and refuses empty elements and attributes.
pub(crate) fn check(root: &XmlElement) -> Result<(), MalformedXml> {
    let foreign = match root.name.as_str() {
        "ECF" => IN_SUMMARY_ALONE,
        "RFCE" => IN_FULL_ALONE,
        _ => return Err(MalformedXml("the root is neither ECF nor RFCE")),
    };
    check_below(root, foreign)?;
    match root.children.last() {
        Some(last) if last.name == "Signature" => Ok(()),
        _ => Err(MalformedXml("the signature is not the last element")),
    }
}

/// The depth is limited by the parser.
fn check_below(element: &XmlElement, foreign: &[&str]) -> Result<(), MalformedXml> {
    if element.name == "Signature" {
        return Ok(());
    }
    if element.has_attributes {
        return Err(MalformedXml("an element has attributes"));
    }
    if foreign.contains(&element.name.as_str()) {
        return Err(MalformedXml("an element belongs to the other format"));
    }
    match (element.children.is_empty(), element.text.trim().is_empty()) {
        // An anonymous buyer: the schema requires the element, without content.
        (true, true) if element.name == "Comprador" => return Ok(()),
        (true, true) => return Err(MalformedXml("an element is empty")),
        (false, false) => return Err(MalformedXml("text stands between elements")),
        _ => {}
    }
    check_order(element)?;
    element.children.iter().try_for_each(|it| check_below(it, foreign))
}

fn check_order(parent: &XmlElement) -> Result<(), MalformedXml> {
    let Some((_, order)) = ORDER.iter().find(|(name, _)| *name == parent.name) else { return Ok(()) };
    if parent.children.is_empty() {
        return Err(MalformedXml("text stands where elements belong"));
    }
    let mut next = 0_usize;
    for child in &parent.children {
        let place = order.split_whitespace().position(|name| name == child.name);
        let place = place.ok_or(MalformedXml("an element is unknown"))?;
        if place < next {
            return Err(MalformedXml("an element is out of its order, or there twice"));
        }
        next = if REPEATED.contains(&child.name.as_str()) { place } else { place.saturating_add(1) };
    }
    Ok(())
}
