{#- Each combination of the quasi columns stands in at least k records. A missing value is a value of its own, as in
    `shoal check`, which counts the same. Rows that come back are classes that are too small. -#}
{% test k_anonymous(model, quasi, k) %}
{{ shoal.asked_for(quasi, k, "k") }}
select {{ quasi | join(", ") }}, count(*) as records
from {{ model }}
group by {{ quasi | join(", ") }}
having count(*) < {{ k }}
{% endtest %}

{% macro asked_for(quasi, number, name) %}
{%- if quasi is string or quasi | length == 0 -%}
  {{ exceptions.raise_compiler_error("'quasi' is a list of columns, and at least one.") }}
{%- endif -%}
{%- if number is not number or number < 1 -%}
  {{ exceptions.raise_compiler_error("'" ~ name ~ "' is a whole number from 1 on.") }}
{%- endif -%}
{% endmacro %}
