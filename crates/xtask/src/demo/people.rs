//! Who works in the demo: two organizations, people of every role, known passwords. All invented.

/// An organization of the demo.
pub(crate) struct Organization {
    pub(crate) slug: &'static str,
    pub(crate) name: &'static str,
    pub(crate) people: &'static [Person],
}

/// Someone who signs in.
pub(crate) struct Person {
    pub(crate) username: &'static str,
    pub(crate) name: &'static str,
    pub(crate) role: &'static str,
}

const fn person(username: &'static str, name: &'static str, role: &'static str) -> Person {
    Person { username, name, role }
}

pub(crate) const HARBOR_CITY: Organization = Organization {
    slug: "harbor-city",
    name: "Harbor City",
    people: &[
        person("mara", "Mara Okafor", "officer"),
        person("dana", "Dana Ruiz", "officer"),
        person("tomas", "Tomas Lind", "officer"),
        person("priya", "Priya Nair", "supervisor"),
        person("vera", "Vera Holt", "viewer"),
        person("abel", "Abel Stone", "admin"),
    ],
};

pub(crate) const LAKESIDE: Organization = Organization {
    slug: "lakeside",
    name: "Lakeside County",
    people: &[
        person("ines", "Ines Falk", "officer"),
        person("omar", "Omar Reed", "officer"),
        person("june", "June Castell", "supervisor"),
        person("noel", "Noel Finch", "viewer"),
        person("ruth", "Ruth Marsh", "admin"),
    ],
};

/// Who signs in when the demo drives the window itself, and to whom most cases are assigned.
pub(crate) const FIRST: &Person = &HARBOR_CITY.people[0];

impl Person {
    /// Known on purpose: the server of the demo listens to this computer alone.
    pub(crate) fn password(&self) -> String {
        format!("demo-{}-pass", self.username)
    }
}

impl Organization {
    /// Everyone of this role.
    pub(crate) fn with_role(&self, role: &str) -> Vec<&'static Person> {
        self.people.iter().filter(|person| person.role == role).collect()
    }
}

/// The table of users and passwords, for the terminal.
pub(crate) fn table() -> String {
    let row = |slug: &str, user: &str, password: &str, role: &str, name: &str| {
        format!("  {slug:<14}{user:<10}{password:<18}{role:<12}{name}\n")
    };
    let head = row("Organization", "User", "Password", "Role", "Name");
    let people = [&HARBOR_CITY, &LAKESIDE]
        .into_iter()
        .flat_map(|organization| organization.people.iter().map(|person| (organization.slug, person)));
    let rows = people.map(|(slug, it)| row(slug, it.username, &it.password(), it.role, it.name));
    std::iter::once(head).chain(rows).collect()
}
