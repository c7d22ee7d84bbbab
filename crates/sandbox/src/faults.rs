//! Faults on demand: each happens once, to the next call of what it was meant for.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Declares values that are spelled in requests.
macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $code:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $name {
            /// Every value, in published order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The published spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// The value published as `text`.
            pub fn from_code(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.as_str() == text)
            }
        }
    };
}

spelled! {
    /// What a fault happens to.
    Target {
        /// The card acquirer.
        Acquirer = "acquirer",
        /// The tax authority.
        Authority = "authority",
        /// The register of taxpayers.
        Directory = "directory",
        /// The mail server.
        Mail = "mail",
        /// The store of signed documents.
        Artifacts = "artifacts",
    }
}

spelled! {
    /// How a call goes wrong. Nothing waits in real time: a late answer is a lost one.
    Fault {
        /// The call never arrives.
        BeforeRequest = "before_request",
        /// The call takes effect, and its answer is lost.
        AfterCommit = "after_commit",
        /// The call takes effect, and its answer comes too late.
        Delay = "delay",
        /// The call takes effect, and the connection breaks.
        Drop = "drop",
        /// The call takes effect, and is answered with an error that says nothing.
        Status = "status",
        /// The call takes effect, its answer is lost, and look-ups see nothing of it for five
        /// minutes. A look-up that this happens to is the first to see nothing.
        VisibilityLag = "visibility_lag",
    }
}

/// The faults that have yet to happen, shared by whatever they may happen to.
#[derive(Debug, Default)]
pub struct Faults(Mutex<VecDeque<ParsedFault>>);

impl Faults {
    /// The most times that one injection may happen.
    pub const MAX_COUNT: u32 = 1000;
    /// The most injections that may wait.
    pub const MAX_WAITING: usize = 100;

    /// Lets `fault` happen to the next `count` calls of `target`, after what waits for it already.
    ///
    /// # Errors
    ///
    /// [`FaultError::Count`] unless `count` is 1 to [`MAX_COUNT`](Self::MAX_COUNT);
    /// [`FaultError::TooMany`] if [`MAX_WAITING`](Self::MAX_WAITING) injections wait.
    pub fn inject(&self, target: Target, fault: Fault, count: u32) -> Result<(), FaultError> {
        if !(1..=Self::MAX_COUNT).contains(&count) {
            return Err(FaultError::Count);
        }
        let mut waiting = self.lock();
        if waiting.len() >= Self::MAX_WAITING {
            return Err(FaultError::TooMany);
        }
        waiting.push_back(ParsedFault { target, fault, count });
        Ok(())
    }

    /// The fault that happens to this call of `target`, if one does. It has happened then.
    pub fn take(&self, target: Target) -> Option<Fault> {
        let mut waiting = self.lock();
        let index = waiting.iter().position(|it| it.target == target)?;
        let next = waiting.get_mut(index)?;
        let fault = next.fault;
        next.count = next.count.saturating_sub(1);
        if next.count == 0 {
            waiting.remove(index);
        }
        Some(fault)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<ParsedFault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a call failed that was meant to.
#[derive(Debug, thiserror::Error)]
#[error("a fault was injected: {}", .0.as_str())]
pub(crate) struct Injected(pub(crate) Fault);

/// A fault as a request spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedFault {
    /// What it happens to.
    pub target: Target,
    /// How it goes wrong.
    pub fault: Fault,
    /// How many times.
    pub count: u32,
}

impl ParsedFault {
    /// The fault that is spelled so; it happens once unless a count is given.
    ///
    /// # Errors
    ///
    /// A [`FaultError`] that names the field.
    pub fn parse(target: &str, fault: &str, count: Option<u64>) -> Result<Self, FaultError> {
        let target = Target::from_code(target).ok_or(FaultError::Target)?;
        let fault = Fault::from_code(fault).ok_or(FaultError::Fault)?;
        let count = u32::try_from(count.unwrap_or(1)).map_err(|_| FaultError::Count)?;
        if !(1..=Faults::MAX_COUNT).contains(&count) {
            return Err(FaultError::Count);
        }
        Ok(Self { target, fault, count })
    }
}

/// The fault is not one that can be injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// There is no such target.
    #[error("target: acquirer, authority, directory, mail or artifacts")]
    Target,
    /// There is no such fault.
    #[error("fault: before_request, after_commit, delay, drop, status or visibility_lag")]
    Fault,
    /// The count is nothing, or too much.
    #[error("count: 1 to 1000")]
    Count,
    /// Too many injections wait to happen.
    #[error("too many faults wait to happen")]
    TooMany,
}
