{#- Each combination of the quasi columns shows at least l different values of the column; a missing value is one. -#}
{% test distinct_l_diverse(model, column_name, quasi, l) %}
{{ shoal.asked_for(quasi, l, "l") }}
select {{ quasi | join(", ") }}, count(distinct {{ column_name }}) + max(case when {{ column_name }} is null then 1 else 0 end) as shown
from {{ model }}
group by {{ quasi | join(", ") }}
having count(distinct {{ column_name }}) + max(case when {{ column_name }} is null then 1 else 0 end) < {{ l }}
{% endtest %}
