// The thumbnail of a content item, beside the contract, also at its older address.
import { endpoint } from '../endpoint.ts';
import { PathUuid, Type } from '../schema.ts';

const base = {
  group: 'content',
  params: Type.Object({ guid: PathUuid }),
  errors: [400, 401, 403, 404],
  origin: 'addition',
} as const;
const reading = { ...base, method: 'GET', status: 200, response: 'file', access: 'user' } as const;
const changing = { ...base, status: 204, response: 'empty', access: 'publisher' } as const;

export const getContentThumbnail = endpoint({
  ...reading,
  operationId: 'getContentThumbnail',
  forViewers: true,
  summary: 'Read the picture of a content item; error 4 where it has none',
  path: '/v1/content/{guid}/thumbnail',
});

export const setContentThumbnail = endpoint({
  ...changing,
  operationId: 'setContentThumbnail',
  summary: 'Give a content item a picture: PNG, JPEG, GIF or WebP, 1 MiB at most',
  method: 'PUT',
  path: '/v1/content/{guid}/thumbnail',
  body: 'file',
});

export const deleteContentThumbnail = endpoint({
  ...changing,
  operationId: 'deleteContentThumbnail',
  summary: 'Take the picture of a content item away',
  method: 'DELETE',
  path: '/v1/content/{guid}/thumbnail',
});

export const getApplicationImage = endpoint({
  ...reading,
  operationId: 'getApplicationImage',
  mayBeEmpty: true,
  summary: 'Read the picture of a content item, for older clients; 204 where it has none',
  path: '/applications/{guid}/image',
});

export const setApplicationImage = endpoint({
  ...changing,
  operationId: 'setApplicationImage',
  summary: 'Give a content item a picture, for older clients',
  method: 'POST',
  path: '/applications/{guid}/image',
  body: 'file',
});

export const deleteApplicationImage = endpoint({
  ...changing,
  operationId: 'deleteApplicationImage',
  summary: 'Take the picture of a content item away, for older clients',
  method: 'DELETE',
  path: '/applications/{guid}/image',
});
