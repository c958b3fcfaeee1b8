// People known to all identity providers of the tests.
export interface KnownPerson {
  readonly username: string;
  readonly password: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

const person = (username: string, first_name: string, last_name: string): KnownPerson => ({
  username,
  password: `${username} has a secret`,
  email: `${username}@corp.example`,
  first_name,
  last_name,
});

export const KNOWN_PEOPLE = {
  alice: person('alice', 'Alice', 'Ash'),
  bob: person('bob', 'Bob', 'Birch'),
  carol: person('carol', 'Carol', 'Cédre'),
  dave: person('dave', 'Dave', 'Dogwood'),
} as const;
