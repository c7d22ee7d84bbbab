/// Whether `$type` implements `$trait`, at compile time: of two constants of one name the inherent one precedes the
/// trait's, if its bound holds.
#[macro_export]
macro_rules! has {
    ($type:ty: $trait:path) => {{
        struct _Probe<T: ?Sized>(std::marker::PhantomData<T>);
        trait _Otherwise {
            const _HAS: bool = false;
        }
        impl<T: ?Sized> _Otherwise for _Probe<T> {}
        impl<T: ?Sized + $trait> _Probe<T> {
            const _HAS: bool = true;
        }
        <_Probe<$type>>::_HAS
    }};
}
