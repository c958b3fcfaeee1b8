// TensorFlow models: served by an external tensorflow_model_server, over its REST interface.
import { errors } from '@pressroom/api/contract';
import type { ApplicationEngine } from '../engine.ts';
import { application } from '../from-table.ts';
import { requirePorts } from '../require-ports.ts';

/** The server requires a directory of numbered versions, which is linked to the bundle. */
const SERVE = 'mkdir -p "$1/1" && cp -rs "$2"/. "$1/1" && shift 2 && exec "$@"';

export const tensorflow: ApplicationEngine = {
  ...application('tensorflow-saved-model'),
  program: {
    name: 'TensorFlow.Server',
    version: async (config) => config['TensorFlow.Server'],
    find(config, { anyImage }) {
      const file = config['TensorFlow.Server'];
      if (file !== '' && anyImage !== null) {
        requirePorts(config, 'TensorFlow models');
        return { language: null, version: '', file, env: {}, readable: [], image: anyImage };
      }
      if (file !== '') return { language: null, version: '', file, env: {}, readable: [file] };
      const message =
        'TensorFlow models need tensorflow_model_server: name it in the setting TensorFlow.Server';
      throw errors.actionNotSupported({ message });
    },
  },
  building: 'Building TensorFlow model...',
  launching: 'Launching TensorFlow model...',
  listens: 'port',
  command({ environment, directory, temporary, port }) {
    const models = `${temporary}/models/default`;
    const server = [
      `--rest_api_port=${port}`,
      '--port=0',
      '--model_name=default',
      `--model_base_path=${models}`,
    ];
    return {
      file: 'sh',
      args: ['-c', SERVE, 'sh', models, directory, environment.file, ...server],
      cwd: directory,
      env: environment.env,
      readable: [directory, ...environment.readable],
    };
  },
};
