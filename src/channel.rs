//! A channel between threads, as that of the standard library. On the threads of a simulation (tests/simulation), waiting
//! takes the time of its clock.

use std::sync::mpsc;
use std::time::Duration;

pub use std::sync::mpsc::{RecvTimeoutError, SendError};

#[cfg(test)]
use crate::simulated::Waiter;

#[derive(Debug)]
pub struct Sender<T> {
    sender: mpsc::Sender<T>,
    /// Dropped after `sender`, because it tells the receiver that a sender is gone.
    #[cfg(test)]
    waiter: Waiter,
}

#[derive(Debug)]
pub struct Receiver<T> {
    receiver: mpsc::Receiver<T>,
    #[cfg(test)]
    waiter: Waiter,
}

pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::channel();
    #[cfg(test)]
    let waiter = Waiter::of_new_channel();
    let sender = Sender {
        sender,
        #[cfg(test)]
        waiter: waiter.clone(),
    };
    let receiver = Receiver {
        receiver,
        #[cfg(test)]
        waiter,
    };
    (sender, receiver)
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender {
            sender: self.sender.clone(),
            #[cfg(test)]
            waiter: self.waiter.clone(),
        }
    }
}

impl<T> Sender<T> {
    /// Fails only if the receiver is gone.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.sender.send(message)?;
        #[cfg(test)]
        self.waiter.notify();
        Ok(())
    }
}

impl<T> Receiver<T> {
    /// Waits for a message; [`Duration::MAX`] waits for as long as there is a sender.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        #[cfg(test)]
        if let Some(result) = self.waiter.wait(timeout, || self.receiver.try_recv()) {
            return result;
        }
        self.receiver.recv_timeout(timeout)
    }

    /// What has arrived already, if anything.
    pub fn try_recv(&self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}
