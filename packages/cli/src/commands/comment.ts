// pressroom comment: posts the report of a deploy to the pipeline's GitLab merge request.
import { readTextFile } from '../arguments/text-file.ts';
import { openNotes } from '../ci/gitlab-notes.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm } from '../terminal/output.ts';

export const comment: Command = {
  name: 'comment',
  synopsis: 'comment FILE',
  summary: 'Comment on the merge request of this GitLab pipeline, in place of the comment before',
  help: [
    '  FILE is what pressroom deploy --report wrote. The variable PRESSROOM_GITLAB_TOKEN has an access token of the',
    '  project, with the scope api; without one there is no comment.',
  ],
  positionals: [1, 1],
  async run(context) {
    const { env } = context;
    const [api, project, request] = [
      env['CI_API_V4_URL'],
      env['CI_MERGE_REQUEST_PROJECT_ID'],
      env['CI_MERGE_REQUEST_IID'],
    ];
    if (!api || !project || !request)
      throw new UsageError('This is not the pipeline of a GitLab merge request.');
    const token = env['PRESSROOM_GITLAB_TOKEN']?.trim();
    if (!token) return confirm(context, null, 'No comment: PRESSROOM_GITLAB_TOKEN is not set.');
    // The request error would quote an invalid token.
    if (!/^[!-~]+$/.test(token)) throw new UsageError('PRESSROOM_GITLAB_TOKEN is not a token.');
    const text = await readTextFile(context, context.positionals[0]!);
    // One mark per job: a repository may have several content items.
    const mark = `<!-- pressroom: ${(env['CI_JOB_NAME'] ?? '').replaceAll(/[^\w ]/g, '-')} -->`;
    const notes = openNotes({ api, project, request, token }, context.signal);
    const before = await notes.own((body) => body.startsWith(mark));
    const body = `${mark}\n\n${text}`;
    await (before === null ? notes.create(body) : notes.update(before, body));
    return confirm(context, null, `${before === null ? 'Commented' : 'Updated the comment'} on !${request}.`);
  },
};
