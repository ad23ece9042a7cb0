//! The phrases case texts are put together from: the words of code enforcement, with its abbreviations, about nobody.

/// What a case is about: kind, short problem for the title, longer wording for the description, tags that fit.
pub(crate) struct Problem {
    pub(crate) kind: &'static str,
    pub(crate) title: &'static str,
    pub(crate) wording: &'static str,
    pub(crate) tag: &'static str,
}

const fn problem(kind: &'static str, title: &'static str, wording: &'static str, tag: &'static str) -> Problem {
    Problem { kind, title, wording, tag }
}

pub(crate) const PROBLEMS: &[Problem] = &[
    problem("complaint", "Overgrown vegetation", "veg over 18 in. along the sidewalk and parkway", "vegetation"),
    problem(
        "complaint",
        "Trash and debris in alley",
        "mattress, bags and loose debris dumped behind the bldg",
        "dumping",
    ),
    problem("complaint", "Inoperable vehicle in yard", "veh w/ flat tires and no plates parked on the lawn", "vehicle"),
    problem("complaint", "Barking and odor, rear yard", "strong odor from animal waste, rear yd not kept", "animals"),
    problem("complaint", "Standing water in pool", "pool green, pump not running, mosquitoes", "vector"),
    problem(
        "complaint",
        "Fence leaning over sidewalk",
        "approx 12 ft of wood fence leaning over the public walk",
        "fence",
    ),
    problem("complaint", "Noise from rooftop unit", "HVAC unit rattles after 22:00, RP measured nothing", "noise"),
    problem("complaint", "No hot water", "no hot wtr in 3 units since last week, mgr not responding", "habitability"),
    problem(
        "complaint",
        "Water leak through ceiling",
        "leak from unit above, ceiling stained and soft",
        "habitability",
    ),
    problem("complaint", "Bed bugs reported", "tenant reports bed bugs in 2 rooms, no treatment yet", "vector"),
    problem("inspection", "Garage inspection certificate", "routine garage insp for sale of property", "certificate"),
    problem(
        "inspection",
        "Multi-unit routine inspection",
        "routine insp of common areas and 4 sample units",
        "routine",
    ),
    problem("inspection", "Smoke and CO alarms", "verify smoke & CO alarms in all units", "fire"),
    problem("inspection", "Loose handrail at stairs", "handrail loose at 2nd flr landing, treads worn", "structure"),
    problem("inspection", "Deteriorated window screens", "det screens and broken sash locks, front elev", "structure"),
    problem("inspection", "Exterior paint peeling", "peeling paint on eaves and trim, pre-1978 bldg", "lead"),
    problem("inspection", "Blocked fire exit", "storage in exit path, rear door chained at time of visit", "fire"),
    problem("permit", "Water heater without permit", "new wtr htr, no permit on file, no strapping", "plumbing"),
    problem("permit", "Re-roof without permit", "re-roof in progress, no permit card posted", "roof"),
    problem("permit", "Patio cover over setback", "alum patio cover approx 2 ft from PL", "setback"),
    problem("permit", "Expired permit, kitchen remodel", "permit expired, rough elec never signed off", "electrical"),
    problem("permit", "Sign without permit", "painted wall sign approx 6x20 ft, no permit", "sign"),
    problem("enforcement", "Garage converted to dwelling", "garage conv w/ kitchen and bath, occupied", "conversion"),
    problem("enforcement", "Substandard building", "bldg vacant, open to entry, roof partly collapsed", "vacant"),
    problem(
        "enforcement",
        "Unpermitted addition at rear",
        "approx 10x14 addition at rear, no footing visible",
        "structure",
    ),
    problem("enforcement", "Illegal vending structure", "container used as kitchen, gas line across walk", "safety"),
    problem("enforcement", "Repeat dumping on vacant lot", "3rd occurrence this yr, lot not fenced", "dumping"),
    problem(
        "enforcement",
        "Retaining wall failing",
        "CMU wall bulging toward neighbor, cracks up to 1 in wide",
        "structure",
    ),
    problem("other", "Street tree roots lift walk", "walk lifted approx 2 in. by tree roots, trip hazard", "sidewalk"),
    problem("other", "Missing house numbers", "no address numbers visible from street", "address"),
    problem("other", "Referral from fire department", "FD referral after kitchen fire, chk occupancy", "fire"),
];

pub(crate) const PLACES: &[&str] = &[
    "front yard",
    "rear of lot",
    "unit 3",
    "unit 12",
    "north side",
    "common stairs",
    "garage",
    "2nd floor",
    "parkway",
    "alley side",
];

pub(crate) const FIRST: &[&str] = &[
    "RP states",
    "Caller reports",
    "Reported online:",
    "Observed from public walk:",
    "Referral:",
    "Field obs:",
    "Tenant states",
    "Follow-up needed:",
];

pub(crate) const THEN: &[&str] = &[
    "No access to rear yd.",
    "Spoke w/ mgr on site, will call back.",
    "Left card at door.",
    "Photos taken.",
    "Owner contacted by phone, states repair is scheduled.",
    "Prior case on file, closed last yr.",
    "Gate locked, dog on premises.",
    "Chk w/ Bldg for permit hist.",
    "Courtesy notice mailed.",
    "Ltr returned, new mailing addr needed.",
    "Re-insp in 14 days.",
    "Violation visible from street.",
    "RP wants to stay anonymous.",
    "Ok to enter w/ 24 hr notice.",
    "Not an emergency; no immediate hazard seen.",
    "Please coordinate w/ PW for curb side.",
];

/// What officers write down while a case is worked on.
pub(crate) const NOTES: &[&str] = &[
    "Site visit, no answer. Left card and will return Thursday.",
    "Spoke w/ owner. Repair set for next week, asked for photos when done.",
    "Drove by 8:15. No change since last visit.",
    "Debris removed from front, alley side still full.",
    "Permit appl submitted, waiting on plan check.",
    "Tenant let me in. Leak is active, bucket under the light fixture. Told mgr to shut off the circuit.",
    "Met w/ contractor on site. Will open wall for insp before closing up.",
    "Called RP back, explained the next steps and the time it takes.",
    "Photos match the complaint. Notice posted at front door.",
    "Owner out of state, gave a local contact. Sent a copy by mail.",
    "Violation corrected at rear. Handrail still loose, asked for a licensed contractor.",
    "Re-insp: 2 of 5 items done.",
    "Re-insp: all items corrected. Ready to close.",
    "No access. Neighbor says the unit is empty since spring.",
    "Fence braced for now, full repair due in 30 days.",
    "Gas line capped by the utility today. Container to be moved by Friday.",
    "Checked the file: earlier case for the same wall, closed w/o permit final.",
    "Owner asks for 14 more days, granted once.",
    "Dog on premises, call ahead next time.",
    "Sent to PW: roots belong to a street tree.",
];

pub(crate) const TAGS: &[&str] = &["repeat", "elderly_resident", "school_route", "absentee_owner", "historic"];
