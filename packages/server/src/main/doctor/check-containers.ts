// The container engine and its images: the same probes as at a start, in containers that are removed again.
import { systemIds } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import { createStarter } from '../../runtime/sandbox/create-starter.ts';
import { TOOLS, type RuntimeImage } from '../../runtime/sandbox/docker/runtime-image.ts';
import type { Launcher } from '../../runtime/sandbox/launcher.ts';
import type { Config } from '../config/settings.ts';
import { starterOptions } from '../starter-options.ts';
import { ofIsolation } from './check-engines.ts';
import { bad, good, warning, type Finding } from './finding.ts';

const WHAT = 'Container engine';
const AT_ENGINE = 'See docker info, docker images, docker system df, and the log of the engine.';
const START_MS = 15_000;
const WITHOUT_GIT = bad(
  'Git',
  'no image of Docker.Images has git',
  'Add git to one of them, or set Applications.GitEnabled = false.',
);
const R_PACKAGES = ['shiny', 'rmarkdown', 'plumber'];

export async function checkContainers(config: Config): Promise<Finding[]> {
  const required = config['Isolation.Mode'] === 'required';
  // Problems are listed below, not thrown.
  const look = { ...config, 'Isolation.Mode': required ? ('auto' as const) : config['Isolation.Mode'] };
  try {
    await using starter = await createStarter({
      ...starterOptions(look, undefined, systemIds()),
      isAlone: false,
      ...(process.getuid?.() === 0 && config['Server.Account'] !== '' && { server: ROOT }),
    });
    const images = starter.containers?.images ?? [];
    return [
      good(WHAT, `${config['Docker.Host']} answers`),
      ...images.flatMap(ofImage),
      ...(config['Applications.GitEnabled'] && !images.some(({ git }) => git) ? [WITHOUT_GIT] : []),
      ...ofIsolation(starter.isolation.report, required),
    ];
  } catch (error) {
    return [
      bad(
        WHAT,
        messageOf(error),
        'Correct that setting; docs/operate/containers.md tells how to make images.',
      ),
    ];
  }
}

/** Whether containers start at present, one of each image; without findings where processes are no containers. */
export async function checkStarts({
  containers,
  run,
}: Pick<Launcher, 'containers' | 'run'>): Promise<Finding[]> {
  const start = async ({ id: image, name }: RuntimeImage): Promise<Finding> => {
    const command = (cwd: string) => ({ file: 'sh', args: ['-c', ':'], cwd, image });
    const signal = AbortSignal.timeout(START_MS);
    try {
      const { code, message } = await run({ runAs: null, signal, onLine: () => undefined, command });
      return code === 0
        ? good(WHAT, `a container of ${name} starts`)
        : bad(WHAT, `${name}: ${message}`, AT_ENGINE);
    } catch (error) {
      return bad(WHAT, `${name}: ${messageOf(error)}`, AT_ENGINE);
    }
  };
  return Promise.all((containers?.images ?? []).map(start));
}

/** A server started by root has a supervisor, which would do this. */
const ROOT = { name: 'root', uid: 0, gid: 0 };

function ofImage({ name, r, python, node, pandoc }: RuntimeImage): Finding[] {
  const has = [
    r && `R ${r.version}`,
    python && `Python ${python.version}`,
    node && `Node.js ${node.version}`,
  ];
  const packages = new Set(r?.packages.map((one) => one.name));
  const lacks = [
    ...(r ? R_PACKAGES.filter((one) => !packages.has(one)) : []),
    ...(r && pandoc === null ? ['pandoc'] : []),
    ...(python ? TOOLS.filter((one) => !python.tools.includes(one)) : []),
    ...(python && !python.hasPip ? ['pip 22.3 or newer'] : []),
  ];
  const what = `Image ${name}`;
  return [
    good(what, has.filter(Boolean).join(', ')),
    ...(lacks.length === 0
      ? []
      : [
          warning(
            what,
            `lacks ${lacks.join(', ')}`,
            'uvicorn, websockets, gunicorn and ipykernel are installed with the packages of content. Content that needs one of the others brings it, or is not deployed.',
          ),
        ]),
  ];
}
