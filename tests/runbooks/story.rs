//! A session with the built-in Linus: sends what a real client sends, keeps what its panel shows.

use aissh::builtin::Builtin;
use aissh::linus::contract::{ChatContext, Context, Envelope, Request, Source, Step, StepStatus, Suggestion};
use std::process::Command;

pub(crate) fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/builtin/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// One session and its panel: what a client shows after each answer.
pub(crate) struct Story {
    pub(crate) linus: Builtin,
    user: &'static str,
    pub(crate) cards: Vec<Suggestion>,
    /// The commands in the order of a panel that keeps what it has in place and appends the rest.
    pub(crate) panel: Vec<String>,
    pub(crate) steps: Vec<Step>,
    pub(crate) tail: String,
    pub(crate) last_exit: Option<i32>,
    /// The prompt of a network device, where it is one.
    device: Option<String>,
}

impl Story {
    pub(crate) fn new(user: &'static str) -> Self {
        Self::with(Builtin::new(), user)
    }

    pub(crate) fn with(linus: Builtin, user: &'static str) -> Self {
        Self {
            linus,
            user,
            cards: Vec::new(),
            panel: Vec::new(),
            steps: Vec::new(),
            tail: String::new(),
            last_exit: None,
            device: None,
        }
    }

    /// From now on the terminal is a device's, as its banner with the prompt in its last line tells.
    pub(crate) fn prompt_of_device(&mut self, banner: &str) {
        self.device = banner.lines().last().map(Into::into);
        self.tail = banner.into();
    }

    fn prompt(&self) -> String {
        self.device.clone().unwrap_or_else(|| format!("{}@web:~#", self.user))
    }

    /// A command and its output that stand on the screen already.
    pub(crate) fn on_screen(&mut self, command: &str, output: &str) {
        let prompt = self.prompt();
        let line =
            if self.tail.is_empty() { format!("{prompt} {command}\n") } else { format!(" {command}\n") };
        self.tail.push_str(&format!("{line}{output}{prompt}"));
    }

    fn context(&self) -> Context {
        Context {
            ssh_host: format!("{}@web", self.user),
            ssh_user: self.user.into(),
            cwd: Some("/root".into()),
        }
    }

    pub(crate) fn send(&mut self, request: &Request) -> Envelope {
        let envelope = self.linus.handle(request);
        if let Some(clear) = &envelope.clear_suggestions {
            self.cards.retain(|c| !clear.all && !clear.ids.contains(&c.id));
        }
        self.panel.retain(|command| self.cards.iter().any(|c| c.command == *command));
        if let Some(list) = &envelope.suggested_commands {
            // Each list is the whole panel in its order: what it does not name was cleared.
            assert!(
                self.cards.iter().all(|old| list.commands.iter().any(|c| c.id == old.id)),
                "{envelope:#?}"
            );
            assert!(list.commands.iter().all(|c| !c.command.contains('\n')), "{list:?}");
            self.cards = list.commands.clone();
            for card in &self.cards {
                if !self.panel.contains(&card.command) {
                    self.panel.push(card.command.clone());
                }
            }
            assert_eq!(self.panel, self.commands(), "the order that was meant is the order that is shown");
        }
        if let Some(intent) = &envelope.intent_update {
            self.steps = intent.steps.clone();
            assert!(intent.confidence.is_some_and(|c| (0.0..=1.0).contains(&c)));
        }
        let is_shell = self.device.is_none();
        assert!(!is_shell || self.cards.iter().all(|c| bash_accepts(&c.command)), "{:?}", self.cards);
        envelope
    }

    pub(crate) fn chat(&mut self, message: &str) -> String {
        let request = Request::Chat {
            session_id: "s".into(),
            message: message.into(),
            context: ChatContext {
                ssh_host: format!("{}@web", self.user),
                ssh_user: self.user.into(),
                connected: true,
                terminal_tail: self.tail.clone(),
                cwd: Some("/root".into()),
                last_command: None,
                last_exit_code: self.last_exit,
            },
        };
        said(&self.send(&request))
    }

    /// A card that starts with `start` is sent; the session reports the end of its command.
    pub(crate) fn run(&mut self, start: &str, output: &str, exit_code: Option<i32>) -> String {
        let card = self.card(start);
        self.report(&card.command.clone(), Some(card), output, exit_code)
    }

    pub(crate) fn typed(&mut self, command: &str, output: &str, exit_code: Option<i32>) -> String {
        self.report(command, None, output, exit_code)
    }

    pub(crate) fn report(
        &mut self,
        command: &str,
        card: Option<Suggestion>,
        output: &str,
        exit_code: Option<i32>,
    ) -> String {
        match self.device {
            Some(_) => self.on_screen(command, output),
            None => self.tail.push_str(&format!("{}@web:~# {command}\n{output}", self.user)),
        }
        let request = Request::CommandExecuted {
            session_id: "s".into(),
            command: command.into(),
            source: if card.is_some() { Source::Suggested } else { Source::UserTyped },
            was_edited: card.as_ref().map(|c| c.command != command),
            suggestion_id: card.map(|c| c.id),
            output: output.into(),
            exit_code,
            is_final: true,
            context: self.context(),
        };
        said(&self.send(&request))
    }

    pub(crate) fn update(&mut self, new_output: &str) -> Envelope {
        let request = Request::TerminalUpdate {
            session_id: "s".into(),
            new_output: new_output.into(),
            terminal_tail: self.tail.clone(),
            context: self.context(),
        };
        self.send(&request)
    }

    pub(crate) fn card(&self, start: &str) -> Suggestion {
        let card = self.cards.iter().find(|c| c.command.starts_with(start));
        card.cloned().unwrap_or_else(|| panic!("no card `{start}` in {:#?}", self.cards))
    }

    pub(crate) fn commands(&self) -> Vec<&str> {
        self.cards.iter().map(|c| c.command.as_str()).collect()
    }

    pub(crate) fn status(&self, text: &str) -> StepStatus {
        let step = self.steps.iter().find(|s| s.text.contains(text));
        step.map(|s| s.status).unwrap_or_else(|| panic!("no step `{text}` in {:#?}", self.steps))
    }

    /// From the question to the list of remedies, by the cards.
    pub(crate) fn investigate(&mut self) {
        self.chat("hey linus, /var is full what's eating the space");
        self.run("df -h", &fixture("df-h"), Some(0));
        self.run("du -xh --max-depth=1 /var |", &fixture("du-var"), Some(0));
        self.run("du -xh --max-depth=1 /var/log |", &fixture("du-log"), Some(0));
        self.run("du -xh --max-depth=1 /var/log/nginx |", &fixture("du-nginx"), Some(0));
        self.run("find /var/log/nginx", &fixture("find-ls-nginx"), Some(0));
    }
}

pub(crate) fn said(envelope: &Envelope) -> String {
    envelope.chat_response.as_ref().map(|c| c.message.clone()).unwrap_or_default()
}

/// `bash -n`: every card is a command line that a shell can read.
fn bash_accepts(command: &str) -> bool {
    Command::new("bash")
        .args(["-n", "-c", command])
        .output()
        .is_ok_and(|o| o.status.success() && o.stderr.is_empty())
}
